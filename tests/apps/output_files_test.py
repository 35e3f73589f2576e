"""Files that commands write: python3 output_files_test.py path/to/papilio path/to/shim.so

Which names are refused before any work, what an output's name may be, and what replaces what.
"""

import os
import socket
import stat
import subprocess
import unittest

from outputs_support import STRANGER, TRAIN, WRITERS, OutputsTest, main

# The options of train that name an output.
SIDE_OUTPUTS = ("--output-topic-keys", "--output-doc-topics", "--topic-word-weights-file", "--output-state",
                "--diagnostics-file")


class Clashes(OutputsTest):
    """Two outputs, or an output and an input, that are the same file."""

    def spellings(self, name):
        """Other names of a file, whether it is there or not."""
        parent = self.folder.name
        (self.folder / "to_here").exists() or (self.folder / "to_here").symlink_to(".")
        return [name, f"./{name}", f"../{parent}/{name}", str(self.folder / name), f"to_here/{name}", f"to_{name}",
                name.upper()]

    def test_outputs_of_train(self):
        train = [a if a != "CORPUS" else "text" for a in TRAIN]
        (self.folder / "to_out").symlink_to("out")
        for option in ("--checkpoint", *SIDE_OUTPUTS):
            for there in (False, True):
                if there:
                    (self.folder / "out").write_bytes(STRANGER)
                for other in self.spellings("out"):
                    err = self.refused([*train, "-o", "out", option, other, "--force"], 64, "-o out", f"{option} {other}")
                    self.assertIn("are the same file", err)
            os.link(self.folder / "out", self.folder / "twin")
            self.refused([*train, "-o", "out", option, "twin", "--force"], 64, "are the same file")
            (self.folder / "twin").unlink()
            (self.folder / "out").unlink()
        for i, first in enumerate(SIDE_OUTPUTS):
            for second in ("--checkpoint", *SIDE_OUTPUTS[:i]):
                self.refused([*train, "-o", "m", first, "out", second, "./out"], 64, first, second, "are the same file")
        self.refused([*train, "-o", "m", "--output-state", "m.checkpoint.safetensors"], 64, "the default of --checkpoint")
        self.refused([*train, "-o", "m", "--checkpoint", "c", "--output-state", "c.previous"], 64, "--output-state", "c.pre")
        self.refused([*train, "--checkpoint", "text.papilio.safetensors"], 64, "the default of -o")

    def test_outputs_of_convert(self):
        for other in ("made", "./made", "MADE"):
            self.refused(["convert", "text", "--to", "uci", "-o", "made", "--output-vocabulary", other], 64,
                         "-o made", f"--output-vocabulary {other}", "are the same file")

    def inputs(self):
        """Commands with an input at {}, and the words for it."""
        self.run_well("convert", "text", "--to", "uci", "-o", "docword.in.txt")
        self.run_well("train", "text", "-k", 2, "--sweeps", 2, "-q", "-o", "m", "--output-state", "state.gz")
        (self.folder / "m").unlink()
        (self.folder / "stop").write_text("the\n")
        texts = self.folder / "texts"
        texts.mkdir()
        (texts / "one").write_text("cat dog\n")
        for name in WRITERS:
            if name == "generate":
                continue
            arguments, _ = self.arguments(name)
            place = arguments.index("text")

            def reading(corpus, *more):
                return [*arguments[:place], corpus, *arguments[place + 1:], *more]
            yield name, reading("text"), "text"
            if name in ("infer", "ldavis"):
                yield name, arguments, "model"
            if name == "import-file":
                yield name, reading("text", "--stoplist-file", "stop"), "stop"
                continue
            yield name, reading("docword.in.txt"), "vocab.in.txt"
            yield name, reading("text", "--stopwords", "stop"), "stop"
            yield name, reading("text", "--extra-stopwords", "stop"), "stop"
            yield name, reading("docword.in.txt", "--vocabulary", "vocab.in.txt"), "vocab.in.txt"
            yield name, reading("texts", *(["--corpus-format"] if name == "ldavis" else ["--format"]), "folder"), "texts/one"
            if name == "train":
                yield name, reading("text", "--held-out", "docword.in.txt"), "docword.in.txt"
                yield name, reading("text", "--input-state", "state.gz"), "state.gz"

    def test_an_output_that_is_an_input(self):
        for name, arguments, read in list(self.inputs()):
            folder, _, base = read.rpartition("/")
            folder = folder + "/" if folder else ""
            made = self.arguments(name)[1][0]
            os.symlink(self.folder / read, self.folder / made)
            with self.subTest(name=name, read=read, arguments=arguments):
                self.refused([*arguments, "--force"], 64, "would overwrite an input", made)
            (self.folder / made).unlink()
            os.link(self.folder / read, self.folder / made)
            with self.subTest(name=name, read=read, arguments=arguments, link="hard"):
                if not folder:
                    self.refused([*arguments, "--force"], 64, "would overwrite an input", made)
            (self.folder / made).unlink()
            if name not in ("split", "generate"):
                with self.subTest(name=name, read=read, link="none"):
                    place = arguments.index("made")
                    self.refused([*arguments[:place], f"{folder}./{base}", *arguments[place + 1:], "--force"], 64,
                                 "would overwrite an input", f", {folder.rstrip('/') or read};")

    def test_devices_are_no_clash(self):
        self.run_well("convert", "text", "--to", "uci", "-o", "/dev/null", "--output-vocabulary", "/dev/null")
        self.run_well("train", "text", "-k", 2, "--sweeps", 2, "-q", "-o", "/dev/null", "--checkpoint", "/dev/null",
                      "--output-topic-keys", "/dev/null", "--output-state", "/dev/null")
        self.assertEqual(self.names(), self.before)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))


class Names(OutputsTest):
    """What an output's name may be, for each command; found before the corpus is read."""

    def each(self, output):
        """Commands whose first output is to have that name, on a corpus that is not there."""
        for name in WRITERS:
            stem = output
            if name in ("split", "generate"):
                if not output.startswith("docword."):
                    continue
                stem = output.removeprefix("docword.").removesuffix("-train.txt").removesuffix(".txt")
            yield name, self.arguments(name, stem, corpus="nowhere")[0]

    def test_circles_of_links(self):
        for a, b in (("docword.a.txt", "loop"), ("docword.a-train.txt", "loop2")):
            (self.folder / a).symlink_to(b)
            (self.folder / b).symlink_to(a)
        seen = set()
        for output in ("docword.a.txt", "docword.a-train.txt"):
            for name, arguments in self.each(output):
                if (name, output) not in (("split", "docword.a.txt"), ("generate", "docword.a-train.txt")):
                    self.refused(arguments, 73, "Too many levels of symbolic links")
                    seen.add(name)
        self.assertEqual(seen, set(WRITERS))

    def test_names_that_are_too_long(self):
        for name in WRITERS:
            self.refused(self.arguments(name, "n" * 256, "nowhere")[0], 73, "File name too long")
        self.refused([*TRAIN[:1], "nowhere", *TRAIN[2:], "-o", "m", "--checkpoint", "c" * 250], 73, ".previous: File name")
        self.refused([*TRAIN[:1], "nowhere", *TRAIN[2:], "-o", "m" * 240], 73, ".checkpoint.safetensors: File name")
        self.refused(self.arguments("import", "./" * 2040 + "made", "nowhere")[0], 73, "File name too long")

    def test_names_of_every_length(self):
        for name, (_, made) in WRITERS.items():
            for length in (200, 222, 223, 240, 241, 255):
                taken = max(len(text.format("")) for text in made)
                output = "n" * (length - taken)
                arguments, outputs = self.arguments(name, output)
                more = ["--checkpoint", "chain"] if name == "train" else []
                self.run_well(*arguments, *more)
                self.assertEqual(self.names(), sorted([*self.before, *outputs, *(["chain"] if more else [])]))
                for path in [*outputs, *(["chain"] if more else [])]:
                    (self.folder / path).unlink()
        self.run_well(*self.arguments("train")[0], "--checkpoint", "c" * 246, "--checkpoint-every", 1)
        self.assertIn("c" * 246 + ".previous", self.names())

    def test_folders(self):
        (self.folder / "docword.d.txt").mkdir()
        (self.folder / "docword.d-train.txt").mkdir()
        for name in WRITERS:
            output = "d" if name in ("split", "generate") else "docword.d.txt"
            self.refused(self.arguments(name, output, "nowhere")[0], 73, "it is a folder")
            self.refused(self.arguments(name, "no/where", "nowhere")[0], 73, "folder no does not exist")
            self.refused(self.arguments(name, "text/where", "nowhere")[0], 73, "folder text does not exist")

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_a_folder_that_may_not_be_written(self):
        (self.folder / "closed").mkdir(mode=0o555)
        for name in WRITERS:
            arguments, _ = self.arguments(name, "closed/made", "nowhere")
            code, _, err = self.command.run(arguments, user=65534, group=65534, extra_groups=[])
            self.assertEqual((code, "Permission denied" in err), (73, True), err)

    def test_links_are_followed(self):
        """Also one that leads nowhere yet: the file is made where it leads, and the link stays."""
        (self.folder / "far").mkdir()
        for name in WRITERS:
            arguments, outputs = self.arguments(name)
            for made in outputs:
                (self.folder / made).symlink_to(f"far/{made}")
            for _ in range(2):
                self.run_well(*arguments, "--force")
                for made in outputs:
                    self.assertEqual(os.readlink(self.folder / made), f"far/{made}")
                self.assertEqual(sorted(os.listdir(self.folder / "far")), sorted(outputs))
            for made in outputs:
                (self.folder / made).unlink()
                (self.folder / "far" / made).unlink()

    def test_sockets(self):
        with socket.socket(socket.AF_UNIX) as one:
            os.chdir(self.folder)
            one.bind("docword.s.txt")
            os.link("docword.s.txt", "docword.s-train.txt")
            for name in WRITERS:
                output = "s" if name in ("split", "generate") else "docword.s.txt"
                self.refused(self.arguments(name, output, "nowhere")[0], 73, "it is a socket")


class Replacing(OutputsTest):
    def test_nothing_is_replaced_unless_forced(self):
        for name in WRITERS:
            arguments, outputs = self.arguments(name)
            for made in outputs:
                (self.folder / made).write_bytes(STRANGER)
                self.refused(arguments, 73, f"{made} exists", "--force")
                self.assertEqual((self.folder / made).read_bytes(), STRANGER)
                (self.folder / made).unlink()

    def test_permissions_and_owner_are_kept(self):
        ids = (12345, 54321) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
        for name in WRITERS:
            arguments, outputs = self.arguments(name)
            for made in outputs:
                (self.folder / made).write_bytes(STRANGER)
                (self.folder / made).chmod(0o600)
                os.chown(self.folder / made, *ids)
            self.run_well(*arguments, "--force")
            for made in outputs:
                found = (self.folder / made).stat()
                self.assertEqual((oct(found.st_mode & 0o7777), (found.st_uid, found.st_gid)), ("0o600", ids), made)
                self.assertNotEqual((self.folder / made).read_bytes(), STRANGER)
        for option in SIDE_OUTPUTS:
            (self.folder / "side").write_bytes(STRANGER)
            (self.folder / "side").chmod(0o640)
            self.run_well(*self.arguments("train")[0], option, "side", "--force")
            self.assertEqual((self.folder / "side").stat().st_mode & 0o7777, 0o640, option)

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_a_group_that_cannot_be_kept_gets_no_rights(self):
        self.folder.chmod(0o777)
        self.folder.parent.chmod(0o755)
        (self.folder / "made").write_bytes(STRANGER)
        (self.folder / "made").chmod(0o664)
        os.chown(self.folder / "made", 65534, 12345)
        code, _, err = self.command.run([*self.arguments("import")[0], "--force"], user=65534, group=65534, extra_groups=[])
        self.assertEqual(code, 0, err)
        found = (self.folder / "made").stat()
        self.assertEqual((oct(found.st_mode & 0o777), found.st_uid, found.st_gid), ("0o644", 65534, 65534))

    def test_standard_output_by_its_other_names(self):
        """The link /dev/stdout is never replaced, whatever it leads to."""
        for name in ("infer", "ldavis", "convert"):
            expected = self.run_well(*self.arguments(name, "-")[0])
            self.assertTrue(expected)
            for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
                arguments = [*self.arguments(name, path)[0], "--force"]
                link = os.lstat("/dev/stdout").st_ino
                self.assertEqual(self.run_well(*arguments), expected)
                with open(self.folder / "caught", "w+") as caught:
                    code, _, err = self.command.run(arguments, stdout=caught)
                    caught.seek(0)
                    self.assertEqual((code, caught.read()), (0, expected), err)
                    os.unlink(self.folder / "caught")  # open, and without a name
                    caught.truncate(0)
                    caught.seek(0)
                    code, _, err = self.command.run(arguments, stdout=caught)
                    caught.seek(0)
                    self.assertEqual((code, caught.read()), (0, expected), err)
                self.assertEqual((os.lstat("/dev/stdout").st_ino, self.names()), (link, self.before))

    def test_standard_output_that_is_closed(self):
        link = os.lstat("/dev/stdout").st_ino
        closed = subprocess.run(["sh", "-c", f"exec {self.papilio} infer model text -q --force -o /dev/stdout >&-"],
                                cwd=self.folder, stderr=subprocess.PIPE, timeout=60)
        self.assertNotEqual(closed.returncode, 0)
        self.assertEqual((os.lstat("/dev/stdout").st_ino, self.names()), (link, self.before))


if __name__ == "__main__":
    main("__main__")
