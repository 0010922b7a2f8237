#pragma once
// zlib, and what Swift cannot call of it: its initialisers are macros.
#include <zlib.h>

/// A raw deflate stream (no header, no trailer) with a window of 32 KiB. Returns a zlib result code.
int czlib_deflate_raw(z_stream *_Nonnull stream, int level);
/// A raw inflate stream. Returns a zlib result code.
int czlib_inflate_raw(z_stream *_Nonnull stream);
/// An inflate stream that reads one gzip member (RFC 1952). Returns a zlib result code.
int czlib_inflate_gzip(z_stream *_Nonnull stream);
