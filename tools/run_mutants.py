#!/usr/bin/env python3
"""Plants faults in the kernel headers and checks that the tests find every one.

    tools/run_mutants.py [--build FOLDER] [--keep] [NAME ...]

Each mutant is one exact replacement in a copy of src/. The few tests that should
find it are compiled against the copy (in their small form, PAPILIO_TEST_FEW) and
run; a mutant is killed when a test fails. What includes nothing of src/ is compiled
once. Tests of the library's own sources compile those that a mutant may be in, and
take all else from a build (build/release). First of all the tests must pass without
a mutant. The last line is "N passed, N failed": passed are the killed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPILER = os.environ.get("CXX", "g++")
FLAGS = ["-std=c++20", "-Og", "-w", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno", "-DPAPILIO_UNROLL=",
         "-DPAPILIO_TEST_FEW", "-DPAPILIO_TEST_FLOAT", f'-DPAPILIO_TEST_DATA="{ROOT / "tests/data"}"']
LIBRARIES = ["-lgtest", "-lgtest_main", "-lpthread"]

# Name: sources below tests/ that see the kernel headers, those that see none of src/, flags of its own.
TESTS = {
    "exact": (["collective/realisations_float.cpp"], ["collective/exact_draws_test.cpp", "collective/scalar_alone.cpp"],
              ["-DPAPILIO_TEST_SCALAR"]),
    "simd": (["collective/realisations_float.cpp"], ["collective/exact_draws_test.cpp"], []),
    "real": (["collective/realisations_float.cpp"], ["collective/real_draws_test.cpp", "collective/scalar_alone.cpp"],
             ["-DPAPILIO_TEST_SCALAR"]),
    "search": (["collective/search_test.cpp"], [], []),
    "guard": (["collective/guard_test.cpp"], [], []),
    "random": (["random/random_test.cpp"], [], []),
    "scan": (["collective/scan_test.cpp"], [], []),
    "sums": (["primitives/exact_sum_test.cpp"], [], []),
    "segments": (["primitives/reductions_test.cpp"], [], []),
    "items": (["primitives/reduce_by_index_test.cpp"], [], []),
    "tridiagonal": (["primitives/tridiagonal/tridiagonal_test.cpp", "primitives/tridiagonal/walk_test.cpp"], [], []),
}

# Name: sources below src/ that are compiled from the copy and linked before the library.
FROM_LIBRARY = {
    "segments": ["primitives/segmented_reduce.cpp", "primitives/segmented_scan.cpp"],
    "items": ["primitives/by_index/reduce_by_index.cpp", "primitives/by_index/scatter.cpp", "primitives/compact.cpp",
              "primitives/transpose.cpp"],
    "tridiagonal": ["primitives/tridiagonal/tridiagonal_cpu.cpp"],
}
OF_LIBRARY = ["-lfmt", "-ltbb", "-lxxhash", "-lzstd", "-lz"]

# (name, file below src/, text, replacement, the tests that must find it)
MUTANTS = [
    # Corrections to the printed algorithms, undone (docs/butterfly.md has the table).
    ("total_in_the_first_block_only", "collective/partial_sums/butterfly.h",
     "store_tile(tile, table_ + table_size(blocks_++));",
     "T* block = table_ + table_size(blocks_++);\n    for (int i = 0; i + 1 < W::width; ++i) W::store(block + i * W::width, tile.row[i]);\n"
     "    W::store(table_ + (W::width - 1) * W::width, tile.row[W::width - 1]);", ["exact"]),
    ("butterfly_skips_a_distance", "collective/partial_sums/butterfly.h",
     "for (int bit = 1; bit < W::width; bit *= 2) {\n    const auto odd",
     "for (int bit = 1; bit < W::width; bit *= 4) {\n    const auto odd", ["exact"]),
    ("butterfly_sends_what_it_should_keep", "collective/partial_sums/butterfly.h",
     "const auto sent = W::select(odd, tile.row[low], tile.row[high]);",
     "const auto sent = W::select(odd, tile.row[high], tile.row[low]);", ["exact"]),
    ("swap_table_searched_by_subtracting", "collective/partial_sums/butterfly.h",
     "if constexpr (form == ButterflyForm::add_subtract)", "if constexpr (form == ButterflyForm::swap)", ["exact"]),
    ("search_bits_from_the_wrong_end", "collective/partial_sums/butterfly.h",
     "const auto column = first | (lane & (2 * bit - 1));", "const auto column = first | (lane & (bit - 1));", ["exact"]),
    ("block_search_forgets_the_sum_before", "collective/partial_sums/butterfly.h",
     "last_row - W::width * W::width, last_row)", "last_row, last_row)", ["exact"]),
    ("transposition_skips_a_select", "collective/transpose.h",
     "tile.row[high] = W::select(odd, tile.row[high], got);", "tile.row[high] = got;", ["exact"]),
    ("binary_search_takes_equal_for_less", "collective/search.h",
     "found = W::select(inside & !W::less(target, sum), next, found);",
     "found = W::select(inside & W::less(sum, target), next, found);", ["search"]),
    ("linear_search_stops_one_early", "collective/search.h",
     "k + 1 < column.count; ++k", "k + 2 < column.count; ++k", ["exact"]),
    ("the_remnant_is_dropped", "collective/draw.h",
     "    k += W::width;\n  } while (k < end);", "    k += W::width;\n  } while (k + W::width <= end);", ["exact"]),
    ("a_target_in_the_remnant_is_sought_in_the_blocks", "collective/draw.h",
     "category = W::select(W::less(target, ahead.total()), ahead.find(target), category);", ";", ["exact"]),
    ("blocks_do_not_go_on_from_the_remnant", "collective/draw.h",
     "sums.start_after(ahead.total());", "", ["exact"]),
    ("subnormal_targets_round_up", "collective/target.h",
     "W::less(u * (total * scale), target * scale)", "W::less(u * (total * scale), u * (total * scale))", ["exact"]),
    ("two_passes_read_the_next_block", "collective/draw.h",
     "std::int64_t{chosen} * W::width);", "(std::int64_t{chosen} + 1) * W::width);", ["exact"]),
    # The canonical order.
    ("slots_drop_the_partial_depth", "collective/partial_sums/slots.h",
     "if (at < end) slot[g]", "if (at + 4 * W::width <= end) slot[g]", ["exact"]),
    ("lane_tree_pairs_neighbours", "collective/lane_tree.h",
     "part[g] = part[g] + part[g + half];", "part[g] = part[2 * g] + part[2 * g + 1];", ["exact", "real"]),
    ("lane_tree_keeps_the_upper_child", "collective/lane_tree.h",
     "outer_[distance - 1 + q] = W::select(upper, got, kept);", "outer_[distance - 1 + q] = kept;", ["exact"]),
    ("descent_goes_left_on_equality", "collective/lane_tree.h",
     "const auto go_left = W::less(rest, left);", "const auto go_left = !W::less(left, rest);", ["exact", "guard", "real"]),
    ("descent_forgets_to_subtract", "collective/lane_tree.h",
     "rest = W::select(go_left, rest, rest - left);", "rest = W::select(go_left, rest, rest);", ["exact"]),
    ("segments_start_from_the_wrong_total", "collective/draw_slots.h",
     "target[q] - scratch.running[(segment - 1) * W::width + q]", "target[q] - scratch.running[segment * W::width + q]",
     ["exact"]),
    ("slot_walk_skips_the_first_depth", "collective/draw_slots.h",
     "for (int j = 0; j < depth; ++j) {\n    const auto w", "for (int j = 1; j < depth; ++j) {\n    const auto w", ["exact"]),
    ("no_guard", "collective/draw_slots.h",
     "const std::uint64_t astray = W::bits(searching | !W::less(found_at, end));", "const std::uint64_t astray = 0;",
     ["guard"]),
    ("the_guard_looks_forward", "collective/draw_slots.h",
     "for (std::int64_t at = here - 1; at >= 0; --at)", "for (std::int64_t at = -1; at >= 0; --at)", ["guard"]),
    ("products_without_fused_addition", "collective/rows.h",
     "return W::fma(x, y, sums);", "return sums;", ["exact"]),
    # Random numbers and the warp.
    ("philox_has_nine_rounds", "random/philox.h", "round < 10", "round < 9", ["random"]),
    ("uniforms_of_52_bits", "random/uniform.h", ">> 11) * 0x1p-53", ">> 12) * 0x1p-52", ["random"]),
    ("exchange_within_the_register_only", "warp/simd_warp.h",
     "simd::exchange(a.reg[i ^ (bits / n)], bits % n)", "simd::exchange(a.reg[i], bits % n)", ["simd"]),
    ("partial_loads_one_short", "warp/simd_register.h",
     "const int valid = count < 0 ? 0", "const int valid = count < 1 ? 0 : count < lanes ? static_cast<int>(count) - 1 : count < 0 ? 0",
     ["simd"]),
    # Scans of warps and blocks.
    ("scan_takes_operands_in_the_wrong_order", "collective/scan.h",
     "return l >= distance && l < count ? op(earlier, own) : own;",
     "return l >= distance && l < count ? op(own, earlier) : own;", ["scan"]),
    ("reduction_ignores_the_order", "collective/scan.h",
     "W::template select<T>(upper, other, x), W::template select<T>(upper, x, other)", "x, other", ["scan"]),
    ("segments_reach_over_their_beginning", "collective/scan.h",
     "l - distance >= first ?", "l - distance + 1 >= first ?", ["scan"]),
    ("block_of_segments_forgets_a_head", "collective/scan.h", "W::bits(head) != 0 ? 1 : 0", "W::bits(head) > 1 ? 1 : 0", ["scan"]),
    # Exact sums.
    ("ties_round_up", "primitives/exact_sum.h", "(rest == half && (more || (kept & 1) != 0))", "rest == half", ["sums"]),
    ("carries_stop_after_a_value", "primitives/exact_sum.h", "(i < 3 || carry != 0)", "i < 3", ["sums"]),
    ("low_parts_may_be_lost", "primitives/exact_sums_kernel.h",
     "sum.lost |= (low + cut.sigma_low) - cut.sigma_low != low;", "", ["sums"]),
    ("sums_are_rounded_twice", "primitives/exact_sums_kernel.h",
     "bits += error != 0 && (bits & 1) == 0 ? (away ? 1 : -1) : 0;", "bits += away ? 0 : 0;", ["sums"]),
    ("negative_units_lose_a_carry", "primitives/fixed_grid_kernel.h", "(lower == 0 ? sign & 1 : 0)", "0", ["sums"]),
    # Reductions and scans of segments, items by index, systems.
    ("parts_of_a_segment_stay_apart", "primitives/segmented_reduce.cpp",
     "Reduction::join(owner.tail, ends_[p].head);", "", ["segments"]),
    ("parts_forget_where_offsets_begin", "primitives/segmented_reduce.cpp", "std::min(offsets[0] + steps - least",
     "std::min(steps - least", ["segments"]),
    ("scans_carry_past_a_begin", "primitives/segmented_scan.cpp", "if (begins[p] == 0) Reduction::join",
     "Reduction::join", ["segments"]),
    ("scans_carry_one_part_only", "primitives/segmented_scan.cpp", "Reduction::join(carries_[p + 1], carries_[p]);", ";",
     ["segments"]),
    ("flags_are_ones", "primitives/compact.cpp", "flags[i] != 0 ? size : 0", "flags[i] == 1 ? size : 0", ["items"]),
    ("skipped_items_keep_their_values", "primitives/by_index/scatter.cpp", "values_ + kept * value_size_",
     "values_ + i * value_size_", ["items"]),
    ("buckets_lose_their_first_bin", "primitives/by_index/scatter.cpp",
     "static_cast<std::uint32_t>(index & mask)", "static_cast<std::uint32_t>(std::max<std::int64_t>(1, index & mask))",
     ["items"]),
    ("infinities_are_left_out", "primitives/by_index/reduce_by_index.cpp",
     "if (magnitudes.special) add_specials(indices, values, out);", "", ["items"]),
    ("every_matrix_is_the_first", "primitives/transpose.cpp", "matrix * in.batch_stride", "0 * in.batch_stride", ["items"]),
    ("separators_are_not_joined", "primitives/tridiagonal/chunk_kernel.h",
     "row.b = Math::fma(row.c, link.b, row.b);", "", ["tridiagonal"]),
    ("walks_leave_out_an_observation", "primitives/tridiagonal/chunk_kernel.h",
     "link.b = Math::fma(t, row.b, link.b);", "", ["tridiagonal"]),
    ("noise_has_the_variance_for_its_deviation", "primitives/tridiagonal/chunk_kernel.h",
     "Math::fma(Math::sqrt(inverse), e, x)", "Math::fma(inverse, e, x)", ["tridiagonal"]),
    ("faults_beyond_the_first_chunk_are_missed", "primitives/tridiagonal/tridiagonal_cpu.cpp",
     "s * diagonal.system_stride + i * diagonal.row_stride", "s * diagonal.system_stride + i % 16 * diagonal.row_stride",
     ["tridiagonal"]),
]


def compile_common(work):
    """Compiles what no mutant can change; returns the object of each source."""
    sources = sorted({source for _, common, _ in TESTS.values() for source in common})
    objects = {source: work / (pathlib.Path(source).stem + ".o") for source in sources}

    def compile_one(source):
        subprocess.run([COMPILER, *FLAGS, f"-I{ROOT / 'tests'}", "-c", str(ROOT / "tests" / source), "-o", str(objects[source])],
                       check=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, sources))
    return objects


def library_of(build):
    return build / "src" / "libpapilio.a"


def build_and_run(source, name, folder, objects, build):
    """Compiles test `name` against the headers in `source`; returns what is wrong with it, or ''."""
    files, common, flags = TESTS[name]
    program = folder / name
    own = FROM_LIBRARY.get(name, [])
    command = [COMPILER, *FLAGS, *flags, "-DPAPILIO_TARGET=baseline", f"-I{source}", f"-I{ROOT / 'tests'}",
               f"-I{ROOT / 'include'}", *(str(ROOT / "tests" / file) for file in files),
               *(str(source / file) for file in own), *(str(objects[file]) for file in common), "-o", str(program)]
    if own:
        command += [f"-I{build / 'generated'}", str(library_of(build)), *OF_LIBRARY]
    compiled = subprocess.run([*command, *LIBRARIES], capture_output=True, text=True)
    if compiled.returncode != 0:
        return "does not compile:\n" + compiled.stderr[:2000]
    try:
        run = subprocess.run([str(program), "--gtest_brief=1"], capture_output=True, text=True, timeout=300, errors="replace",
                             env={**os.environ, "PAPILIO_CPU_TARGET": "baseline"} if own else None)
    except subprocess.TimeoutExpired:
        return "did not end"
    return "" if run.returncode == 0 else f"{name} failed"


def try_mutant(mutant, work, objects, build):
    name, file, text, replacement, tests = mutant
    folder = work / name
    source = folder / "src"
    shutil.copytree(ROOT / "src", source)
    path = source / file
    before = path.read_text()
    if before.count(text) != 1:
        return False, f"{name}: stands {before.count(text)} times in {file}, expected once"
    path.write_text(before.replace(text, replacement))
    for test in tests:
        verdict = build_and_run(source, test, folder, objects, build)
        if verdict.startswith("does not compile"):
            return False, f"{name}: {verdict}"
        if verdict:
            return True, f"{name}: killed ({verdict})"
    return False, f"{name}: SURVIVED ({', '.join(tests)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="mutants to try; all by default")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="a build's folder")
    parser.add_argument("--keep", action="store_true", help="leave the copies where they are")
    arguments = parser.parse_args()
    mutants = [m for m in MUTANTS if not arguments.names or m[0] in arguments.names]
    start = time.monotonic()
    work = pathlib.Path(tempfile.mkdtemp(prefix="papilio-mutants-"))
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        needed = sorted({test for m in mutants for test in m[4]})
        if any(test in FROM_LIBRARY for test in needed) and not library_of(arguments.build).exists():
            print(f"{library_of(arguments.build)} is not there; build the target papilio first")
            print("0 passed, 1 failed")
            return 1
        objects = compile_common(work)
        (work / "none").mkdir()
        for test, verdict in zip(needed, pool.map(lambda t: build_and_run(ROOT / "src", t, work / "none", objects, arguments.build), needed)):
            if verdict:
                print(f"without a mutant: {verdict}")
                failed += 1
        if not failed:
            for killed, line in pool.map(lambda m: try_mutant(m, work, objects, arguments.build), mutants):
                print(line, flush=True)
                passed += killed
                failed += not killed
    if not arguments.keep:
        shutil.rmtree(work)
    print(f"took {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
