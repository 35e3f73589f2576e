# The job `test` of ./run, which sources this file: its steps, what each leaves in build/results, and the summary.

# The results of a test run: build/results/STEP.xml (JUnit), STEP.log and STEP.status (exit status), added up by
# tools/test_summary.py; `seconds` has each step's time.
results=build/results

# timed NAME COMMAND...: runs one step and keeps its exit status, its time and how often the compiler cache had the
# object. The next step runs in any case.
timed() {
  local name=$1 status=0 TIMEFORMAT="$1 %0R %0U %0S"
  shift
  [[ -v CCACHE_BASEDIR ]] && export CCACHE_STATSLOG=$PWD/$results/$name.ccache
  { time { "$@" 2>&1 || status=$?; }; } 2>>"$results/seconds"
  echo "$status" >"$results/$name.status"
}

# step NAME COMMAND...: one part of the tests, which may use all cores.
step() { timed "$@" | tee "$results/$1.log"; }

# beside NAME COMMAND...: one part of the tests that keeps the cores busy beside the builds that follow. One such part
# runs at a time; what it says comes when it is done, all of it where it failed.
beside() {
  set -m # a process group of its own, for `stop`
  (
    exec 9>"$results/beside"
    flock 9
    timed "$@" >"$results/$1.log" 9>&-
    if [[ $(<"$results/$1.status") == 0 ]]; then
      printf '\n== meanwhile: %s\n%s\n' "$1" "$(tail -n 3 "$results/$1.log")"
    else
      printf '\n== meanwhile: %s failed\n%s\n' "$1" "$(<"$results/$1.log")"
    fi
  ) &
  set +m
  running_beside+=($!)
}
running_beside=()

stop() {
  local job
  for job in "${running_beside[@]}"; do kill -- "-$job" 2>/dev/null || true; done
  exit 130
}

# prepared NAME: whether that preparation succeeded; then it says nothing in the summary, else it is one failed test.
prepared() {
  [[ $(<"$results/$1.status") == 0 ]] || return 1
  rm "$results/$1.status"
}

step_build() {
  step "build-$1" build "$@"
  prepared "build-$1"
}

# The widest instruction set that this processor runs, by the names of cmake/simd_targets.cmake.
widest_target() {
  local target
  case $(uname -m) in
    x86_64)
      for target in avx512:avx512vl avx2:avx2; do
        if grep -qw "${target#*:}" /proc/cpuinfo; then
          echo "${target%:*}"
          return
        fi
      done
      ;;
  esac
}

# suites_of STEP FOLDER: the suites that the step is about to run leave the results of their cases in that build folder.
suites_of() {
  rm -rf "${2:?}/suites"
  echo "$PWD/$2/suites" >"$results/$1.suites"
}

# suite HOW PRESET [OPTION...]: builds, and runs, as a `step` or `beside` the next ones, what no label leaves to another
# suite: `nightly`, and `long` but for --all.
suite() {
  local how=$1 preset=$2
  step_build "$preset" "$preset" "${@:3}" || return 0
  say "testing $preset"
  ctest --preset "$preset" --label-regex nightly -N >"$results/$preset.nightly" || true
  [[ $left_labels == nightly ]] || ctest --preset "$preset" --label-regex '^long$' -N >"$results/$preset.long" || true
  suites_of "$preset" "build/$preset"
  local workers=$jobs
  [[ $how == beside ]] || workers=$((jobs + 1)) # some tests wait for a deadline: without a build they leave a core idle
  "$how" "$preset" ctest --preset "$preset" --label-exclude "^($left_labels)\$" --parallel "$workers" --timeout 600 \
    --no-tests=error --output-junit "$PWD/$results/$preset.xml"
}

python_package() {
  say "building the Python package"
  wait "$python_environments" || true
  prepared python-environments || return 0
  step build-python python3 tools/test_python.py --wheel
  prepared build-python || return 0
  beside python python3 tools/test_python.py --tests "$results/python.xml"
}

# What users install: the wheel where there is nothing else, and what the Debian packages hold.
wheel_tests() {
  if [[ -e build/python/tools/bin/python ]]; then
    python3 tools/wheel.py --test
  else
    echo "skipped: the Python environments could not be made, so no wheel was"
  fi
}

debian_packages() {
  if command -v dpkg-deb >/dev/null; then
    deb && python3 tests/house/packages_test.py build/deb
  else
    echo "skipped: no dpkg here, so no Debian packages were made"
  fi
}

shared_library() {
  build release shared -DBUILD_SHARED_LIBS=ON -DPAPILIO_TESTS=OFF -DPAPILIO_APPS=OFF -DPAPILIO_EXAMPLES=OFF &&
    cmake -DBUILD_FOLDER=build/shared -DWORK_FOLDER=build/shared/consumer -P tests/consumer/run.cmake
}

# mpi_ranks TEST: the command with MPI, under mpirun.
mpi_ranks() {
  say "ranks of MPI: $1"
  step build-mpi build_targets release build/mpi papilio_command -DPAPILIO_MPI=ON -DPAPILIO_EXAMPLES=OFF
  prepared build-mpi || return 0
  step mpi ctest --test-dir build/mpi --tests-regex "^$1\$" --output-on-failure --timeout 600 --no-tests=error \
    --output-junit "$PWD/$results/mpi.xml"
}

# The CUDA build, whether or not there is a GPU: it compiles, and without a device it works on the CPU; so does its
# Python module.
cuda_without_gpu() {
  local folder=build/cuda-nogpu python=build/python/tools/bin/python
  say "CUDA, what needs no GPU"
  if ! have_nvcc; then
    step cuda echo "skipped: no nvcc here (12 or later), so the CUDA build and its Python module were not tried"
    return
  fi
  # The code for the host is not optimised: nothing here measures it, and it takes most of the time of the tests' kernels.
  local options=(-DCMAKE_CUDA_ARCHITECTURES=90-real "-DCMAKE_CUDA_FLAGS_RELEASE=-O0 -DNDEBUG") targets=(nogpu_tests)
  if [[ -e build/python/clean/bin/python ]]; then
    options+=(-DPAPILIO_PYTHON=ON "-DPython_EXECUTABLE=$PWD/$python")
    targets+=(papilio_python)
  fi
  step build-cuda-nogpu build_targets cuda "$folder" "${targets[*]}" "${options[@]}"
  prepared build-cuda-nogpu || return 0
  suites_of cuda "$folder"
  beside cuda ctest --test-dir "$folder" --label-regex '^nogpu$' --output-on-failure --timeout 600 --no-tests=error \
    --output-junit "$PWD/$results/cuda.xml"
  [[ ${#targets[@]} == 2 ]] || return 0 # that the environments are missing has been counted
  beside cuda-python build/python/clean/bin/python tools/test_python.py --module "$folder" "$results/cuda-python.xml"
}

# Bits for NEON, on a machine that has none: built by the cross compiler, run by qemu.
neon() {
  local lacking=""
  say "NEON under qemu"
  if [[ $(uname -m) == aarch64 ]]; then
    step neon echo "skipped: this machine is aarch64, so the release suite has run it"
    return
  fi
  command -v aarch64-linux-gnu-g++ >/dev/null || lacking="no aarch64-linux-gnu-g++ here"
  command -v qemu-aarch64 >/dev/null || lacking="no qemu-aarch64 here"
  if [[ -z $lacking ]] && ! tools/neon_sysroot.sh build/neon-sysroot >"$results/neon-packages.txt" 2>&1; then
    lacking="the arm64 packages cannot be had: $(tail -n 1 "$results/neon-packages.txt")"
  fi
  if [[ -n $lacking ]]; then
    step neon echo "skipped: $lacking"
    return
  fi
  suite beside neon
}

# build_targets PRESET FOLDER TARGETS [OPTION...]
build_targets() {
  local targets
  read -r -a targets <<<"$3"
  configure "$1" "$2" "${@:4}" && cmake --build "$2" --parallel "$jobs" --target "${targets[@]}"
}

fuzz_targets() {
  say "building the fuzz targets"
  step build-fuzz fuzz/run.sh build
  prepared build-fuzz || return 0
  beside fuzz env FUZZ_SEED=1 fuzz/run.sh 80
}

# What takes longer than all the rest: the tests labelled nightly, and an hour of fuzzing.
nightly() {
  local fuzz_seconds=$1
  step_build release release || return 0
  say "testing release, what is labelled nightly"
  suites_of nightly build/release
  step nightly ctest --preset release --label-regex nightly --parallel "$jobs" --timeout 14400 --no-tests=error \
    --output-junit "$PWD/$results/nightly.xml"
  mpi_ranks mpi_ranks_network_test
  say "fuzzing for $fuzz_seconds seconds"
  step fuzz fuzz/run.sh "$fuzz_seconds"
}

# A line for each step: seconds, processor seconds, and how many of its objects were in the compiler cache.
show_times() {
  local name wall user system objects=0 found=0 log
  printf '%-22s %8s %8s   %s\n' step seconds CPU "found in the compiler cache"
  while read -r name wall user system; do
    log=$results/$name.ccache objects=""
    if [[ -s $log ]]; then
      found=$(grep -cE '^(direct|preprocessed)_cache_hit$' "$log") || true
      objects="$found of $((found + $(grep -c '^cache_miss$' "$log")))"
    fi
    printf '%-22s %8d %8d   %s\n' "$name" "$wall" $((user + system)) "$objects"
  done <"$results/seconds"
  printf '%-22s %8d\n' "total" "$SECONDS"
}

# Ends a test run, however it ends: the summary, whose last line is "N passed, N failed".
summarise() {
  local status=$?
  trap - EXIT
  wait
  say "summary"
  ((status == 0)) || echo "$status" >"$results/run.status"
  if ! command -v python3 >/dev/null; then
    echo "0 passed, 1 failed"
    exit 1
  fi
  status=0
  [[ ! -s $results/seconds ]] || show_times || true
  [[ -z $left_out ]] || echo "left to ./run test --all: $left_out"
  python3 tools/test_summary.py "$results" || status=1
  exit "$status"
}
left_out=""
left_labels="nightly|long"
minutes=0 # after which no part of --all begins; 0: each does

# within [--within MINUTES]: the options of --all.
within() {
  (($# > 0)) || return 0
  [[ $1 == --within && $# == 2 && $2 =~ ^[1-9][0-9]{0,4}$ ]] ||
    die "run: test --all takes --within MINUTES (1 to 99999), not $*"
  minutes=$2
}

# part NAME COMMAND...: a part of --all. If the minutes of --within are over, it is skipped, and the summary names it.
part() {
  if ((minutes == 0 || SECONDS < 60 * minutes)); then
    "${@:2}"
  else
    step "$1" echo "skipped: $minutes minutes were over before it began (--within $minutes)"
  fi
}

# single NAME COMMAND...: a part that is one step.
single() {
  say "$1"
  step "$@"
}

run_tests() {
  local more="tests labelled long, sanitizers, clang, shared library, CUDA without a GPU, NEON, fuzzing, mutants"
  case ${1:-} in
    "") left_out=$more ;;
    --fast) left_out="Python package, $more" ;;
    --all)
      left_labels=nightly
      within "${@:2}"
      ;;
    --nightly)
      left_out="the release suite, Python package, $more"
      [[ ${2:-3600} =~ ^[1-9][0-9]*$ ]] || die "run: test --nightly takes the seconds of fuzzing, not $2"
      ;;
    *) die "run: test takes --fast, --all or --nightly, not $1" ;;
  esac
  rm -rf "$results"
  mkdir -p "$results"
  trap summarise EXIT
  trap stop INT TERM
  need "${packages_build[@]}" "${packages_test_fast[@]}"
  compile_once
  if [[ ${1:-} == --fast ]]; then
    suite step release
    return
  fi
  if [[ ${1:-} == --nightly ]]; then
    need "${packages_test_all[@]}"
    nightly "${2:-3600}"
    return
  fi
  need "${packages_python[@]}"
  if [[ ${1:-} == --all ]]; then
    need "${packages_test_all[@]}"
    [[ $(uname -m) != x86_64 ]] || need "${packages_neon[@]}"
  fi
  beside python-environments python3 tools/test_python.py --environments
  local python_environments=$!
  suite beside release
  python_package
  [[ ${1:-} != --all ]] || test_the_rest
}

# The parts whose failures say most come first, as --within leaves out the last ones.
test_the_rest() {
  local widest=$(widest_target)
  local targets=(${widest:+"-DPAPILIO_CPU_TARGETS=baseline;$widest" "-DPAPILIO_TEST_TARGETS=$widest"})
  part dev suite beside dev "${targets[@]}"
  part tsan suite beside tsan "${targets[@]}"
  part cuda cuda_without_gpu
  part mpi mpi_ranks mpi_ranks_test
  part shared-library single shared-library shared_library
  part wheel single wheel wheel_tests
  part debian-packages single debian-packages debian_packages
  part fuzz fuzz_targets
  part neon neon
  part mutants single mutants python3 tools/run_mutants.py
}
