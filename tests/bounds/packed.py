"""Packed files that unpack to many times their size, n KiB each, and those whose sizes lie."""
import gzip
import lzma
import os
import struct
import zlib

import elf
import perfdata
from binaries import BASE, write_samples

COMPRESSED, BY_ZLIB, BY_ZSTD = 0x800, 1, 2
RLE_BYTES = 1 << 17


def zstd_of_zeros(size):
    """A frame whose blocks are a byte each, repeated. Source: RFC 8878."""
    out = bytearray(b"\x28\xb5\x2f\xfd\x00\x58")
    for _ in range(size // RLE_BYTES):
        out += struct.pack("<I", 1 << 1 | RLE_BYTES << 3)[:3] + b"\0"
    return bytes(out + struct.pack("<I", 1 | 1 << 1 | 1 << 3)[:3] + b"\0")


def deflate_of_zeros(size, window_bits):
    """Pieces of a megabyte are all the same once the first one is flushed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, window_bits)
    head = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    rest = packer.flush()[:-8 if window_bits > 15 else -4]
    return head + piece * (size // (1 << 20) - 1) + rest


def gzip_of_zeros(size):
    """Its last bytes say that it becomes a page."""
    return deflate_of_zeros(size, 31) + struct.pack("<II", 0, 4096)


def xz_number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def xz_of_zeros(size):
    """Its index says that it becomes a page. Source: "The .xz File Format", section 4."""
    packed = lzma.compress(bytes(size), preset=0)
    index_bytes = (struct.unpack("<I", packed[-8:-4])[0] + 1) * 4
    index = packed[-12 - index_bytes : -12]
    at, number, shift = 2, 0, 0
    while True:
        byte = index[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            break
    index = b"\0\x01" + xz_number(number) + xz_number(4096)
    index += b"\0" * (-len(index) % 4)
    index += struct.pack("<I", zlib.crc32(index))
    footer = struct.pack("<I", len(index) // 4 - 1) + packed[-4:-2]
    footer = struct.pack("<I", zlib.crc32(footer)) + footer + b"YZ"
    return packed[: -12 - index_bytes] + index + footer


def write(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def debug_link(n, folder, suffix, pack):
    """A program whose debug file is packed."""
    write(folder, "x.debug" + suffix, pack(n << 20))
    link = (".gnu_debuglink", 1, 0, b"x.debug\0" + bytes(4))
    elf.write(os.path.join(folder, "program"), [link])
    write_samples(folder, os.path.join(folder, "program"), [0])


def gzip_debug(n, folder):
    debug_link(n, folder, ".gz", gzip_of_zeros)


def xz_debug(n, folder):
    debug_link(n, folder, ".xz", xz_of_zeros)


def zstd_debug(n, folder):
    debug_link(n, folder, ".zst", zstd_of_zeros)


def mini(n, folder):
    """Programs whose small symbol tables are large: each within any bounds by itself."""
    records = perfdata.Records()
    table = lzma.compress(bytes(16 << 20), preset=0)
    for i in range(n):
        program = os.path.join(folder, f"program{i}")
        elf.write(program, [(".gnu_debugdata", 1, 0, table)])
        records.map(1, BASE + 0x100000 * i, 0x10000, program, elf.TEXT)
        records.sample(1, BASE + 0x100000 * i)
    perfdata.write(os.path.join(folder, "input"), records.bytes())


def sections(n, folder, kind, pack):
    """A program whose debug information is packed, as each section of many programs."""
    size = 64 << 20
    records = perfdata.Records()
    names = [".debug_info", ".debug_abbrev", ".debug_str", ".debug_line", ".debug_ranges"]
    head = struct.pack("<IIQQ", kind, 0, size, 1)
    packed = head + pack(size)
    for i in range(n):
        program = os.path.join(folder, f"program{i}")
        elf.write(program, [(name, 1, COMPRESSED, packed) for name in names])
        records.map(1, BASE + 0x100000 * i, 0x10000, program, elf.TEXT)
        records.sample(1, BASE + 0x100000 * i)
    perfdata.write(os.path.join(folder, "input"), records.bytes())


def packed_program(n, folder, table, info, **others):
    """n KiB of code, and packed sections of debug information that are up to 16 times as much."""
    program = os.path.join(folder, "program")
    named = {"abbrev": table, "info": info, **others}
    packed = [
        (f".debug_{name}", 1, COMPRESSED,
         struct.pack("<IIQQ", BY_ZLIB, 0, len(section), 1) + zlib.compress(section, 9))
        for name, section in named.items()
    ]
    elf.write(program, packed, text_bytes=n * 1024)
    write_samples(folder, program, range(40))


def unit(entries):
    body = struct.pack("<HIB", 4, 0, 8) + entries
    return struct.pack("<I", len(body)) + body


def abbreviations(n, folder):
    """Units that share a table of entries of 5 bytes each."""
    table = b"\x01\x11\0\x11\x01\x12\x07\0\0" + b"\x02\x34\0\0\0" * (16 * n * 1024 // 5) + b"\0"
    units = [unit(b"\x01" + struct.pack("<QQ", elf.TEXT + i, 1)) for i in range(40)]
    packed_program(n, folder, table, b"".join(units))


def units(n, folder):
    """Units of 12 bytes."""
    packed_program(n, folder, b"\x01\x11\0\0\0\0", unit(b"\0") * (16 * n * 1024 // 12))


def ranges(n, folder):
    """Functions that share a list of ranges."""
    table = b"\x01\x11\x01\x11\x01\x12\x07\0\0" + b"\x02\x2e\0\x03\x08\x55\x17\0\0" + b"\0"
    functions = (b"\x02f\0" + struct.pack("<I", 0)) * 40
    info = unit(b"\x01" + struct.pack("<QQ", elf.TEXT, 4096) + functions + b"\0")
    text = struct.pack("<QQ", 4, 8) * (n * 1024) + bytes(16)
    packed_program(n, folder, table, info, ranges=text)


def zlib_of_zeros(size):
    return zlib.compress(bytes(size), 9)


def exact_zstd(size):
    frame = zstd_of_zeros(size)
    return frame[:-8] + struct.pack("<I", 1 | 1 << 1 | RLE_BYTES << 3)[:3] + b"\0"


def zlib_sections(n, folder):
    sections(n, folder, BY_ZLIB, zlib_of_zeros)


def zstd_sections(n, folder):
    sections(n, folder, BY_ZSTD, exact_zstd)


def zstd_records(n, folder):
    """Compressed records of perf.data: samples that are all the same, n MiB of them."""
    sample = perfdata.record(perfdata.SAMPLE, struct.pack("<QIIQ", BASE, 1, 1, 1))
    frame = zstd_library(sample * ((1 << 20) // len(sample)))
    # Records have whole words: what is left is a frame to be skipped.
    frame += struct.pack("<II", 0x184D2A50, -len(frame) % 8) + bytes(-len(frame) % 8)
    perfdata.write(
        os.path.join(folder, "input"), perfdata.record(perfdata.COMPRESSED, frame) * n, compressed=True
    )


def zstd_library(data):
    import ctypes

    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compressBound.restype = ctypes.c_size_t
    library.ZSTD_compress.restype = ctypes.c_size_t
    bound = library.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(bound)
    size = library.ZSTD_compress(
        out, ctypes.c_size_t(bound), data, ctypes.c_size_t(len(data)), 19
    )
    return out.raw[:size]


def gzip_pprof(n, folder):
    """A profile of pprof whose samples are all the same, n MiB of them."""
    head = b"\x0a\x04\x08\x01\x10\x02" + b"\x32\0" + b"\x32\x01n" + b"\x32\x01m"
    head += b"\x22\x06\x08\x01\x22\x02\x08\x01" + b"\x2a\x04\x08\x01\x10\x02"
    sample = b"\x12\x04\x08\x01\x10\x01"
    write(folder, "input", gzip.compress(head + sample * ((n << 20) // len(sample))))
