#include "CZlib.h"

int czlib_deflate_raw(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

int czlib_inflate_raw(z_stream *stream) { return inflateInit2(stream, -15); }

int czlib_inflate_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }
