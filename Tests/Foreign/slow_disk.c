// Makes every fsync and fdatasync of a process 10 ms longer, as on a worn flash card.
//   cc -shared -fPIC -O2 -o slow_disk.so slow_disk.c -ldl        LD_PRELOAD=slow_disk.so teahouse serve ...
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slowly(const char *name, int descriptor) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    struct timespec pause = {0, 10 * 1000 * 1000};
    nanosleep(&pause, 0);
    return real(descriptor);
}

int fsync(int descriptor) { return slowly("fsync", descriptor); }
int fdatasync(int descriptor) { return slowly("fdatasync", descriptor); }
