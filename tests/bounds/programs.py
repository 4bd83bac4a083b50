"""ELF files that are the worst for who reads their tables: symbols, headers, sections, notes."""
import os
import struct

import elf
import perfdata
from binaries import BASE, write_samples


def write(n, folder, symbols, strings, addresses=(0,), **how):
    program = os.path.join(folder, "program")
    elf.write(program, how.pop("sections", []), symbols, strings, **how)
    write_samples(folder, program, addresses)


def one_over_many(n, folder):
    """A function that covers everything, behind whose start are many small ones; samples at its end."""
    strings = elf.Strings()
    code = 16 * n + 4096
    symbols = [elf.symbol(0, 0, 0), elf.symbol(strings.add("all"), elf.TEXT, code)]
    for i in range(n):
        symbols.append(elf.symbol(strings.add(f"f{i}"), elf.TEXT + 16 + 8 * i, 1))
    write(n, folder, symbols, strings, [code - 1 - i for i in range(n)], text_bytes=code)


def staircase(n, folder):
    """Functions within functions, each a byte shorter at both ends; samples at the far end."""
    strings = elf.Strings()
    code = 2 * n + 4096
    symbols = [elf.symbol(0, 0, 0)]
    for i in range(n):
        symbols.append(elf.symbol(strings.add(f"f{i}"), elf.TEXT + i, 2 * n - 2 * i))
    write(n, folder, symbols, strings, [2 * n - 1 - i for i in range(n)], text_bytes=code)


def hidden_labels(n, folder):
    """Hidden labels of an assembler, each with a long name: they share their ends."""
    strings = elf.Strings()
    code = 16 * n + 4096
    at = strings.add("x" * (20 * n))
    symbols = [elf.symbol(0, 0, 0), elf.symbol(strings.add("all"), elf.TEXT, 1)]
    for i in range(n):
        symbols.append(
            elf.symbol(at + i, elf.TEXT + 16 + 8 * i, 0, elf.NOTYPE, other=elf.HIDDEN)
        )
    write(n, folder, symbols, strings, range(16, 8 * n, 8), text_bytes=code)


def long_names(n, folder):
    """Functions whose names are the ends of one long text; a sample in each."""
    strings = elf.Strings()
    code = 16 * n + 4096
    at = strings.add("x" * (20 * n))
    symbols = [elf.symbol(0, 0, 0)]
    for i in range(n):
        symbols.append(elf.symbol(at + i, elf.TEXT + 8 * i, 8))
    write(n, folder, symbols, strings, range(0, 8 * n, 8), text_bytes=code)


def long_calls(n, folder):
    """Calls back and forth between two functions with long names."""
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0)]
    for i in range(2):
        symbols.append(elf.symbol(strings.add(f"f{i}" + "x" * 30000), elf.TEXT + 16 * i, 16))
    program = os.path.join(folder, "program")
    elf.write(program, [], symbols, strings)
    records = perfdata.Records()
    records.map(1, BASE, 0x1000, program, elf.TEXT)
    for i in range(20 * n):
        records.time += 1000000
        records.sample(1, BASE + 16 * (i % 2))
    perfdata.write(os.path.join(folder, "input"), records.bytes())


def one_name(n, folder):
    """Functions of one name, each with a sample; from the last to the first."""
    strings = elf.Strings()
    name = strings.add("f")
    symbols = [elf.symbol(0, 0, 0)] + [elf.symbol(name, elf.TEXT + 4 * i, 4) for i in range(n)]
    write(n, folder, symbols, strings, range(4 * n - 4, -1, -4), text_bytes=4 * n)


def nested_name(n, folder):
    """The same within one another, with a sample at each byte."""
    strings = elf.Strings()
    name = strings.add("f")
    symbols = [elf.symbol(0, 0, 0)]
    symbols += [elf.symbol(name, elf.TEXT + i, 2 * n - 2 * i) for i in range(n)]
    write(n, folder, symbols, strings, range(2 * n - 1, -1, -1), text_bytes=2 * n)


def same_place(n, folder):
    """Names of C++ that are short and say much, all of one function."""
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0)]
    for i in range(n):
        symbols.append(elf.symbol(strings.add(long_mangled(i)), elf.TEXT, 64))
    write(n, folder, symbols, strings)


def long_mangled(i):
    """A function of pairs of pairs of pairs, 14 deep."""
    name = f"f{i}"
    pairs = "".join(f"1AI{previous}{previous}E" for previous in ())
    # Each argument is a template of two of the argument before: S_, S0_, S1_, ...
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    arguments = "1AIiiE"
    for level in range(10):
        last = "S0_" if level == 0 else f"S{digits[level]}_"
        arguments += f"S_I{last}{last}E"
    return f"_Z{len(name)}{name}{pairs}{arguments}"


def mangled(n, folder):
    """The same, one of each function, with a sample in it."""
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0)]
    for i in range(n):
        symbols.append(elf.symbol(strings.add(long_mangled(i)), elf.TEXT + 16 * i, 16))
    write(n, folder, symbols, strings, range(0, 16 * n, 16), text_bytes=16 * n)


def base_62(value):
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    text = "_"
    while value > 0:
        value -= 1
        text = digits[value % 62] + text
        value = value // 62
        if value == 0:
            break
    return text


def rust(n, folder):
    """Names of Rust that stand for gigabytes: pairs of pairs, 20 deep, one of each function."""
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0)]
    for i in range(n):
        name = f"f{i}"
        text = f"_RINvC1a{len(name)}{name}"
        last = len(text) - 2
        text += "TuuE"
        for _ in range(20):
            here = len(text) - 2
            text += f"TB{base_62(last)}B{base_62(last)}E"
            last = here
        symbols.append(elf.symbol(strings.add(text + "E"), elf.TEXT + 16 * i, 16))
    write(n, folder, symbols, strings, range(0, 16 * n, 16), text_bytes=16 * n)


def headers(n, folder):
    """Many program headers that hold nothing, ahead of the one that holds the code."""
    strings = elf.Strings()
    code = 16 * n
    symbols = [elf.symbol(0, 0, 0)]
    for i in range(n):
        symbols.append(elf.symbol(strings.add(f"f{i}"), elf.TEXT + 16 * i, 16))
    many = [(1 << 40, 0)] * min(n, 60000) + [(elf.TEXT, code)]
    write(n, folder, symbols, strings, range(0, code, 16), text_bytes=code, headers=many)


def note_headers(n, folder):
    """Program headers of notes, each of which has all notes."""
    notes = struct.pack("<III4s", 4, 0, 9, b"GNU\0") * n
    program = os.path.join(folder, "program")
    elf.write(
        program, [(".note", 1, 0, notes)], headers=[(elf.TEXT, 0x1000)] + [None] * min(n, 60000)
    )
    write_samples(folder, program, [0])


def note_sections(n, folder):
    """Sections of notes, each of which has all notes."""
    program = os.path.join(folder, "program")
    notes = struct.pack("<III4s", 4, 0, 9, b"GNU\0") * n
    elf.write(program, [(".note", 7, 0, notes)], repeat=n)
    write_samples(folder, program, [0])


def section_names(n, folder):
    """Symbols each in its own section, whose names are the ends of one long text."""
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0)]
    rows = [("x" * (64 * n), 1, 2, b"")]
    for i in range(n):
        symbols.append(
            elf.symbol(strings.add("f"), elf.TEXT, 16, elf.NOTYPE, section=2 + i % 60000)
        )
    write(n, folder, symbols, strings, sections=rows, repeat=min(n, 60000))
