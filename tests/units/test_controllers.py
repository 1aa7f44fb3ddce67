"""Packages for controllers: ROS 2 workspaces built by colcon, Arduino libraries compiled for AVR."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from manipula.algebra.emit.backend import emit
from manipula.algebra.emit.ros2 import unit_word
from tests.emitted import CC, written
from tests.golden import planar
from tests.languages import CXX, self_tested, sh

BESIDE = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
COLCON = os.environ.get("MANIPULA_COLCON") or shutil.which("colcon", path=BESIDE)
AVR = shutil.which("avr-gcc")
needs_compilers = pytest.mark.skipif(CC is None or CXX is None, reason="no C and C++ compiler: not built")

USER_XML = """<?xml version="1.0"?>
<package format="3">
  <name>user</name><version>0.0.1</version><description>uses two models</description>
  <maintainer email="you@example.com">you</maintainer><license>MIT</license>
  <depend>planar_servo</depend><depend>planar_tip</depend>
  <export><build_type>cmake</build_type></export>
</package>
"""
USER_CMAKE = """cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES CXX)
find_package(planar_servo REQUIRED)
find_package(planar_tip 1.2 REQUIRED)
add_executable(user main.cpp)
target_link_libraries(user PRIVATE planar_servo::planar_servo planar_tip::planar_tip)
install(TARGETS user DESTINATION bin)
"""
USER = """#include <cstdio>
#include "planar_servo/planar_servo.hpp"
#include "planar_tip/planar_tip.hpp"
int main()
{
    const std::array<double, 2> q_rad{0.3, 0.4};
    manipula_ros::planar_servo::Law law({0.0, 0.0}, {3.0, 0.25}, {0.5});
    const auto out = law.step(q_rad);
    const auto tip = manipula_ros::planar_tip::evaluate(q_rad, {0.0, 0.0});
    std::printf("%.3f %.3f %.1f\\n", out.tau_N_m[0], out.tau_N_m[1], tip.reach);
    try {
        manipula_ros::planar_servo::Law broken({0.0, 0.0}, {3.0, 0.25}, {0.0});
    } catch (const std::domain_error& error) {
        std::puts(error.what());
        return 0;
    }
    return 1;
}
"""


@needs_compilers
@pytest.mark.skipif(COLCON is None, reason="no colcon (nor MANIPULA_COLCON): no workspace is built")
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake: no workspace is built")
@pytest.mark.parametrize("layout", ["", "--merge-install"])
def test_colcon_builds_two_models_and_a_package_that_uses_them(layout: str, tmp_path: Path) -> None:
    files = emit(planar.servo(), "ros2", "1.2.3") | emit(planar.tip(), "ros2", "1.2.3")
    user = {"user/package.xml": USER_XML, "user/CMakeLists.txt": USER_CMAKE, "user/main.cpp": USER}
    written({**files, **user}, tmp_path / "src")
    done = sh(tmp_path, str(COLCON), "build", *layout.split(), COLCON_LOG_PATH=str(tmp_path / "log"))
    assert done.returncode == 0, done.stdout + done.stderr
    prefix = tmp_path / "install" / ("" if layout else "user")
    done = sh(tmp_path, prefix / "bin" / "user")
    assert done.stdout == "-0.450 -0.600 1.0\nplanar_servo holds only where l1 != 0\n"
    place = tmp_path / "install" / ("" if layout else "planar_tip") / "share"
    assert (place / "ament_index" / "resource_index" / "packages" / "planar_tip").exists()
    done = sh(tmp_path / "build" / "planar_servo", "ctest", "--output-on-failure")
    assert done.returncode == 0, done.stdout


@needs_compilers
@pytest.mark.parametrize("language", ["ros2", "arduino"])
def test_what_remembers_passes_its_self_test(language: str, tmp_path: Path) -> None:
    done = self_tested(language, emit(planar.servo(), language, "1"), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


def test_a_package_has_the_name_and_version_that_ros_allows() -> None:
    files = emit(planar.tip(), "ros2", "1.2.dev0")
    root = ElementTree.fromstring(files["ros2/planar_tip/package.xml"])
    assert root.findtext("name") == "planar_tip"
    assert root.findtext("version") == "0.0.0"
    assert root.findtext("export/build_type") == "cmake"


@pytest.mark.parametrize(
    "unit, word",
    [("rad", "rad"), ("rad/s²", "rad_per_s2"), ("N·m", "N_m"), ("", ""), ("1", ""), ("rad or m", "rad_or_m")],
)
def test_units_become_words(unit: str, word: str) -> None:
    assert unit_word(unit) == word


@pytest.mark.skipif(AVR is None, reason="no avr-gcc: the Arduino library is not compiled for AVR")
@pytest.mark.parametrize("make", [planar.torque, planar.tip, planar.servo])
def test_an_arduino_library_compiles_for_avr_in_single_precision(make: object, tmp_path: Path) -> None:
    assert callable(make)
    files = emit(make(), "arduino", "1")
    written(files, tmp_path)
    source = next(name for name in files if name.endswith(".c"))
    assert "stdio" not in files[source]
    assert "double" not in files[source].split("*/", 1)[1]
    words = ("-std=c99", "-Os", "-mmcu=atmega2560", "-Wall", "-Wextra", "-Werror", "-c")
    done = sh(tmp_path, str(AVR), *words, source, "-o", "model.o")
    assert done.returncode == 0, done.stderr
