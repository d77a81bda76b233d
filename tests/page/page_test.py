"""Opens the lesson and a report in headless Chromium, at 400 and 1400 points, and drives the live figure.

Usage: page_test.py posenc [folder for screenshots]. Needs Debian's chromium, chromium-driver and python3-selenium.
"""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PROGRAM = sys.argv.pop(1)
SCREENSHOTS = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
SENTENCE = "the <dog> bit the man & ran"


def browser():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none",
                 "--hide-scrollbars"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        specs = ["sinusoidal:width=32", "learned:rows=64,width=32,past_end=clamp", "rotary:head_dim=32", "t5:heads=2",
                 "shaw:head_dim=8,left=4,right=4", "none"]
        subprocess.run([PROGRAM, "lesson", "--words", SENTENCE, "-o", root / "lesson"], check=True)
        subprocess.run([PROGRAM, "report", *specs, "--advise", "--trained", "512", "-o", root / "report.html"], check=True)
        cls.pages = {"lesson": root / "lesson" / "index.html", "report": root / "report.html"}
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.folder.cleanup()

    def run_script(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def open(self, name, width=1400, dark=False, still=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}]})
        self.driver.get(self.pages[name].as_uri())

    def each_page(self):
        for name in self.pages:
            for width in (400, 1400):
                self.open(name, width)
                yield name, width

    def screenshot(self, name):
        if SCREENSHOTS is None:
            return
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    def test_nothing_is_logged_and_nothing_is_fetched(self):
        for name, width in self.each_page():
            self.assertEqual(self.driver.get_log("browser"), [], (name, width))
            fetched = self.run_script("return performance.getEntriesByType('resource').map((r) => r.name)")
            self.assertEqual([name for name in fetched if not name.startswith("data:")], [])

    def test_no_horizontal_overflow(self):
        for name, width in self.each_page():
            wide = self.run_script("return document.documentElement.scrollWidth")
            self.assertLessEqual(wide, width, name)
            self.screenshot(f"{name}-{width}")

    def test_anchors_and_ids(self):
        for name in self.pages:
            self.open(name)
            ids = self.run_script("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
            self.assertEqual(len(ids), len(set(ids)), [i for i in ids if ids.count(i) > 1])
            links = self.run_script("return [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'))")
            self.assertGreater(len(links), 3)
            for link in links:
                self.assertTrue(link.startswith("#") and link[1:] in ids, link)

    def test_every_figure_is_drawn_and_named(self):
        for name in self.pages:
            self.open(name)
            figures = self.run_script("""
              return [...document.querySelectorAll('figure svg')].map((svg) => {
                const box = svg.getBoundingClientRect();
                const label = svg.getAttribute('aria-label') || (svg.querySelector('title') || {}).textContent || '';
                const said = svg.getAttribute('aria-label') || (svg.querySelector('desc') || {}).textContent || '';
                return [label, said, box.width, box.height, svg.querySelectorAll('path,rect,circle,image,line').length];
              })""")
            self.assertGreater(len(figures), 20)
            for label, said, width, height, marks in figures:
                self.assertTrue(label and said, (label, said))
                self.assertGreater(min(width, height), 50, label)
                self.assertGreater(marks, 3, label)

    def test_headings_and_tables(self):
        for name in self.pages:
            self.open(name)
            levels = self.run_script(
                "return [...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))")
            self.assertEqual(levels.count(1), 1)
            for before, after in zip(levels, levels[1:]):
                self.assertLessEqual(after, before + 1)
            bare = self.run_script("return [...document.querySelectorAll('table')].filter((t) => "
                                   "!t.querySelector('caption') || !t.querySelector('th[scope=col]')).length")
            self.assertEqual(bare, 0)

    def test_dark_mode_by_preference_and_by_button(self):
        for name in self.pages:
            paper = "return getComputedStyle(document.body).backgroundColor"
            self.open(name)
            light = self.run_script(paper)
            self.driver.find_element(By.ID, "theme").click()
            chosen = self.run_script(paper)
            self.open(name, dark=True)
            dark = self.run_script(paper)
            self.assertNotEqual(light, dark)
            self.assertEqual(chosen, dark)
            self.screenshot(f"{name}-dark")
            shown = self.run_script("""
              const images = [...document.querySelectorAll('image')];
              return images.filter((i) => getComputedStyle(i).display !== 'none')
                  .every((i) => !i.classList.contains('posenc-light'))""")
            self.assertTrue(shown)

    def test_the_users_words_are_words(self):
        self.open("lesson")
        text = self.run_script("return document.body.textContent")
        self.assertIn("<dog>", text)
        self.assertEqual(self.run_script("return document.querySelectorAll('dog').length"), 0)

    def test_a_figure_can_be_saved_alone(self):
        self.open("lesson")
        self.run_script("""
          window.saved = [];
          const make = URL.createObjectURL;
          URL.createObjectURL = (blob) => { blob.text().then((t) => window.saved.push(t)); return make(blob); };""")
        button = self.driver.find_element(By.CSS_SELECTOR, "figure button.save")
        self.run_script("arguments[0].click()", button)
        WebDriverWait(self.driver, 5).until(lambda _: self.run_script("return window.saved.length"))
        root = xml.fromstring(self.run_script("return window.saved[0]"))
        self.assertTrue(root.tag.endswith("svg"))
        self.assertIn("--posenc-paper", "".join(root.itertext()))

    # --- the live figure

    def live(self, name):
        return self.driver.find_element(By.ID, "live-" + name)

    def press(self, name):
        self.run_script("arguments[0].click()", self.live(name))

    def numbers(self):
        return json.loads(self.live("numbers").text)

    def expect_row(self, position):
        self.assertEqual(float(self.live("position").text), position)
        said = subprocess.run([PROGRAM, "table", "sinusoidal:width=16", "--positions", str(position), "--format", "json"],
                              check=True, capture_output=True, text=True).stdout
        for shown, exact in zip(self.numbers(), json.loads(said)["values"][0], strict=True):
            self.assertAlmostEqual(shown, exact, delta=6e-4)

    def test_live_steps_show_the_numbers_of_the_library(self):
        self.open("lesson")
        self.expect_row(0)
        for position in (1, 2, 3):
            self.press("step")
            self.expect_row(position)
        self.press("back")
        self.expect_row(2)
        hand = self.run_script("const l = document.querySelector('#live line'); return ['x1','y1','x2','y2'].map("
                               "(a) => Number(l.getAttribute(a)))")
        x, y = hand[2] - hand[0], hand[1] - hand[3]
        sine, cosine = self.numbers()[:2]
        self.assertAlmostEqual(x / 34, cosine, delta=1e-3)
        self.assertAlmostEqual(y / 34, sine, delta=1e-3)
        self.press("start")
        self.expect_row(0)

    def test_live_plays_at_two_speeds_and_pauses(self):
        self.open("lesson")
        time = lambda: float(self.live("time").text.split()[0])
        self.press("slow")
        self.press("play")
        WebDriverWait(self.driver, 10).until(lambda _: time() > 0)
        self.assertEqual(self.live("play").text, "Pause")
        self.press("normal")
        WebDriverWait(self.driver, 10).until(lambda _: time() >= 1)
        self.press("play")
        paused = time()
        self.run_script("return new Promise((done) => setTimeout(done, 400))")
        self.assertEqual(time(), paused)
        self.assertEqual(self.live("play").text, "Play")

    def test_live_keys(self):
        self.open("lesson")
        figure = self.driver.find_element(By.ID, "live")
        self.run_script("arguments[0].focus()", figure)
        figure.send_keys(Keys.ARROW_RIGHT)
        figure.send_keys(Keys.ARROW_RIGHT)
        self.expect_row(2)
        figure.send_keys(Keys.ARROW_LEFT)
        self.expect_row(1)
        figure.send_keys(Keys.SPACE)
        self.assertEqual(self.live("play").text, "Pause")
        figure.send_keys(Keys.SPACE)
        self.assertEqual(self.live("play").text, "Play")
        figure.send_keys(Keys.HOME)
        self.expect_row(0)

    def test_live_zoom(self):
        self.open("lesson")
        width = lambda: self.run_script("return document.querySelector('#live svg').getBoundingClientRect().width")
        before = width()
        self.press("in")
        self.assertGreater(width(), 1.4 * before)
        self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 1400)
        self.press("out")
        self.assertAlmostEqual(width(), before, delta=1)

    def test_live_without_motion_jumps_from_position_to_position(self):
        self.open("lesson", still=True)
        self.run_script("""
          window.seen = new Set();
          new MutationObserver(() => window.seen.add(document.getElementById('live-position').textContent))
              .observe(document.getElementById('live-position'), {childList: true});""")
        self.press("play")
        WebDriverWait(self.driver, 10).until(lambda _: float(self.live("position").text) >= 2)
        self.press("play")
        self.assertTrue(all(float(p) == int(float(p)) for p in self.run_script("return [...window.seen]")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
