#!/usr/bin/env python3
"""unpack.py ARTIFACT.zip FOLDER: takes what a comment is made from out of an artifact that anyone may
have made: FOLDER/pull-request and FOLDER/report/WORKLOAD/replay.bin, and nothing else.

An archive with any other file, a link, a path with other characters, a file twice, too many of them
or too much in them is refused as a whole. Names and sizes in it are only claims: files are written
under names that were checked, and no more is read than is allowed. The archive's size and that of its
directory are checked before an entry is read. Exit status 0, or 1 with the reason on stderr.
"""
import io
import os
import re
import stat
import struct
import sys
import zipfile
import zlib

ARCHIVE_BYTES_MAX = 100_000_000
FILES_MAX = 1001
DIRECTORY_BYTES_MAX = 512 * FILES_MAX
BYTES_MAX = 200_000_000
FILE_BYTES_MAX = 50_000_000
NUMBER_BYTES_MAX = 20
NAME = re.compile(r"pull-request|report/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}/replay\.bin")


class Refused(Exception):
    pass


class Archive(io.FileIO):
    """The file as zipfile reads it: its directory at once, by the size that the end record claims."""

    most = DIRECTORY_BYTES_MAX

    def __init__(self, path):
        super().__init__(path)
        size = self.seek(0, os.SEEK_END)
        if size > ARCHIVE_BYTES_MAX:
            raise Refused(f"it has {size} bytes, more than {ARCHIVE_BYTES_MAX}")

    def read(self, size=-1):
        if size is not None and size > self.most:
            raise Refused(f"its directory has {size} bytes, more than {self.most}")
        return super().read(size)


def check(infos):
    if len(infos) > FILES_MAX:
        raise Refused(f"it has {len(infos)} files, more than {FILES_MAX}")
    seen = set()
    for info in infos:
        name = info.filename
        if not NAME.fullmatch(name):
            raise Refused(f"it has a file {ascii(name[:100])}, which does not belong there")
        if name in seen:
            raise Refused(f"it has {name} twice")
        seen.add(name)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise Refused(f"{name} is no regular file")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused(f"{name} is packed in another way than artifacts are")
    if "pull-request" not in seen or len(seen) < 2:
        raise Refused("it lacks pull-request or report/WORKLOAD/replay.bin")
    if sum(info.file_size for info in infos) > BYTES_MAX:
        raise Refused(f"it unpacks to more than {BYTES_MAX} bytes")


def unpack(archive, info, folder, left):
    most = NUMBER_BYTES_MAX if info.filename == "pull-request" else min(FILE_BYTES_MAX, left)
    with archive.open(info) as packed:
        content = packed.read(most + 1)
    if len(content) > most:
        raise Refused(f"{info.filename} is larger than {most} bytes")
    path = os.path.join(folder, info.filename)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "xb") as file:
        file.write(content)
    return len(content)


def main(path, folder):
    left = BYTES_MAX
    with Archive(path) as file, zipfile.ZipFile(file) as archive:
        file.most = BYTES_MAX
        infos = [info for info in archive.infolist() if not info.filename.endswith("/")]
        check(infos)
        for info in infos:
            left -= unpack(archive, info, folder, left)


# What reading a broken archive ends with.
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, struct.error, OSError)

if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Refused as reason:
        sys.exit(f"the artifact is refused: {reason}")
    except BROKEN as problem:
        sys.exit(f"the artifact is refused: it is no intact archive ({type(problem).__name__})")
