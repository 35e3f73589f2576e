"""Runs papilio on text whose words are told apart by options: python3 words_test.py path/to/papilio."""

import os
import subprocess
import sys
import unittest

import command_test

NEWS = "GPT-4 and 5G in 2020\nCOVID-19 in the EU\nthe AI of 2020\n"


class Words(command_test.CommandTest):
    def setUp(self):
        super().setUp()
        (self.path / "news.txt").write_text(NEWS)

    def words(self, *options, corpus="news.txt"):
        """The words of each document, and what is said about the rest."""
        run = self.papilio("convert", corpus, "-o", "-", "--to", "text", *options)
        return run.out.splitlines(), run.err

    def icu(self):
        run = subprocess.run([command_test.COMMAND, "import", "news.txt", "--words", "icu", "-o", "icu"], cwd=self.path,
                             capture_output=True)
        return run.returncode == 0

    def test_rules(self):
        self.assertEqual(self.words()[0], ["gpt and", "covid the", "the"])
        self.assertEqual(self.words("--min-token-length", 2)[0], ["gpt and in", "covid in the eu", "the ai of"])
        self.assertEqual(self.words("--words", "mixed")[0], ["gpt-4 and 5g", "covid-19 the", "the"])
        self.assertEqual(self.words("--words", "numbers")[0], ["gpt-4 and 5g 2020", "covid-19 the", "the 2020"])
        self.assertEqual(self.words("--token-pattern", r"\pL+-\d+")[0], ["gpt-4", "covid-19", ""])
        self.assertEqual(self.words("--token-pattern", r"(\pL+)-\d+", "--preserve-case")[0], ["GPT", "COVID", ""])

    def test_what_is_left_out_is_said(self):
        run = self.papilio("import", "news.txt", "--stopwords", "english", "--max-vocabulary", 1, "-o", "corpus")
        self.assertIn("\nleft out 15 tokens: words that are too short (6 tokens, 5 different: in, ai, eu ...), numbers (5 "
                      "tokens, 4 different: 2020, 19, 4 ...), stop words (3 tokens, 2 different: the, and), "
                      "words beyond the largest vocabulary (1 token, 1 different: covid)\n", run.err)
        self.assertEqual(self.papilio("import", "news.txt", "-q", "-o", "quiet").err, "")
        train = ("train", "news.txt", "-k", 2, "--sweeps", 2, "-o", "model", "--force")
        self.assertIn("\nleft out 11 tokens: words that are too short (", self.papilio(*train).err)
        self.assertEqual(self.papilio(*train, "-q").err, "")
        self.assertNotIn("left out", self.papilio("convert", "pets.txt", "-o", "-", "--to", "text",
                                                  "--min-token-length", 1).err)

    def test_no_word_reaches_the_terminal_as_it_is(self):
        (self.path / "hostile.txt").write_text("cats \x1b]0;title\x07 dogs \u202eabc\n")
        err = self.words("--token-pattern", "cats|dogs", corpus="hostile.txt")[1]
        self.assertIn("pattern leaves out", err)
        err = self.words("--token-pattern", ".", "--max-vocabulary", 1, corpus="hostile.txt")[1]
        self.assertIn("beyond the largest vocabulary", err)
        for character in "\x1b\x07\u202e":
            self.assertNotIn(character, err)

    def test_a_pattern_that_is_wrong_is_a_usage_error(self):
        run = self.papilio("train", "news.txt", "--token-pattern", "a(b", code=64)
        self.assertIn('--token-pattern is "a(b", expected a regular expression of RE2: missing ): a(b at character 1',
                      run.err)
        run = self.papilio("train", "news.txt", "--token-pattern", "a", "--words", "mixed", code=64)
        self.assertIn("--token-pattern", run.err)
        run = self.papilio("train", "news.txt", "--words", "mixd", code=64)
        self.assertIn('did you mean mixed?', run.err)
        self.papilio("train", "news.txt", "--min-token-length", 0, code=64)
        self.assertIn("invalid perl operator: (?= at character 2",
                      self.papilio("import-file", "--input", "news.txt", "--token-regex", "a(?=b)", code=64).err)

    def test_mallets_pattern(self):
        (self.path / "named.txt").write_text("name label #cats and #dogs\n")
        self.papilio("import-file", "--input", "named.txt", "--output", "named", "--token-regex", r"#(\w+)")
        self.assertEqual(self.words(corpus="named")[0], ["cats dogs"])

    def test_words_that_the_model_does_not_know(self):
        self.papilio("train", "news.txt", "-k", 2, "--sweeps", 2, "-o", "model", "--words", "mixed", "-q")
        (self.path / "news.txt").write_text(NEWS + "and the and the\n")
        for options, unknown in ((("--words", "mixed"), None), ((), "words that the model does not know (2 tokens, 2 "
                                                                    "different: covid, gpt)\n")):
            run = self.papilio("infer", "model", "news.txt", "-o", "-", *options)
            scored = self.papilio("evaluate", "model", "--held-out", "news.txt", *options)
            for err in (run.err, scored.err):
                if unknown is None:
                    self.assertNotIn("does not know", err)
                else:
                    self.assertIn(unknown, err)
            self.assertIn("news.txt: left out", scored.err)

    def test_text_without_spaces(self):
        (self.path / "han.txt").write_text("我爱北京天安门广场\n北京欢迎你来到北京天安门\n", encoding="utf-8")
        self.assertIn("hint: 2 of the 2 words read are long runs of Chinese, Japanese, Thai or similar characters; --words "
                      "icu splits text without spaces into words\n", self.papilio("import", "han.txt", "-o", "runs").err)
        if not self.icu():
            run = self.papilio("import", "han.txt", "--words", "icu", code=64)
            self.assertIn("this build has no ICU; install libicu-dev", run.err)
            return
        run = self.papilio("import", "han.txt", "-o", "words", "--words", "icu")
        self.assertNotIn("hint", run.err)
        self.assertRegex(run.err, r"\(text, ICU \d+\.\d+\)")
        for locale in ("C", "ja_JP.UTF-8", "th_TH.UTF-8"):
            self.papilio("import", "han.txt", "-o", "again", "--force", "--words", "icu",
                         env={**os.environ, "LANG": locale, "LC_ALL": locale})
            self.assertEqual(self.read("words"), self.read("again"))
        self.assertEqual(sum(line.split().count("北京") for line in self.words(corpus="words")[0]), 3)


if __name__ == "__main__":
    command_test.COMMAND = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
