// What gcc makes of OpenMP's pragmas in programs that loopdep emits, by POSIX threads that ThreadSanitizer follows; it
// does not follow libgomp's. Four threads wait for regions; a region in a region runs on its own thread alone. Each
// thread has semaphores of its own, so that nothing orders what two of them do in one region.
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

enum { threads = 4 };
static sem_t begins[threads], ended[threads];
static pthread_mutex_t atomic = PTHREAD_MUTEX_INITIALIZER;
static void (*work)(void *);
static void *argument;
static bool has_started;
static __thread int number;
static __thread bool is_inside;

static void *wait_for_work(void *own) {
  number = (int)(long)own;
  is_inside = true;
  for (;;) {
    sem_wait(&begins[number]);
    work(argument);
    sem_post(&ended[number]);
  }
  return 0;
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned count, unsigned flags) {
  (void)flags;
  if (is_inside || count == 1) {  // a team of one
    const bool was_inside = is_inside;
    const int own = number;
    is_inside = false;
    number = 0;
    function(data);
    is_inside = was_inside;
    number = own;
    return;
  }
  for (long t = 1; t < threads && !has_started; t++) {
    pthread_t id;
    sem_init(&begins[t], 0, 0);
    sem_init(&ended[t], 0, 0);
    if (pthread_create(&id, 0, wait_for_work, (void *)t) != 0) __builtin_abort();
    pthread_detach(id);
  }
  has_started = true;
  work = function;
  argument = data;
  for (int t = 1; t < threads; t++) sem_post(&begins[t]);
  is_inside = true;
  function(data);
  is_inside = false;
  for (int t = 1; t < threads; t++) sem_wait(&ended[t]);
}

void GOMP_atomic_start(void) { pthread_mutex_lock(&atomic); }
void GOMP_atomic_end(void) { pthread_mutex_unlock(&atomic); }
int omp_get_num_threads(void) { return is_inside ? threads : 1; }
int omp_get_thread_num(void) { return number; }
void omp_set_num_threads(int count) { (void)count; }
