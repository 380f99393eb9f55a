"""What people ask of whole numbers: other bases, primes and factors, factorials; and how a list spreads."""

from typing import Any

import pytest

from switchyard.language.arithmetic import read_arithmetic
from switchyard.language.errors import Impossible
from switchyard.tools.calculate import Calculate, CalculateParams


async def calculate(expression: str) -> dict[str, Any]:
    return await Calculate().execute(CalculateParams(expression=expression))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("0xff in decimal", 255),
        ("what is 0xFF in decimal?", 255),
        ("convert 0b1011 to decimal", 11),
        ("0o17 + 1", 16),
        ("0b1011 + 5", 16),
        ("what is 0x1F * 2", 62),
        ("255 in hex", "0xff"),
        ("What is 255 in hexadecimal?", "0xff"),
        ("convert 13 to binary", "0b1101"),
        ("the binary representation of 13", "0b1101"),
        ("64 in octal", "0o100"),
        ("0x10 + 1 in hex", "0x11"),
        ("binary 1011 in decimal", 11),
        ("hex ff to decimal", 255),
        ("255 的十六进制", "0xff"),
        ("255的十六进制是多少？", "0xff"),
        ("把255转换成二进制", "0b11111111"),
        ("13用二进制表示", "0b1101"),
        ("0xff转十进制", 255),
        ("0xff是多少", 255),
        ("二进制1011转换成十进制", 11),
        ("0x10加1等于多少", 17),
    ],
)
async def test_other_bases(question: str, value: Any):
    assert (await calculate(question))["value"] == value


async def test_an_answer_in_another_base_says_what_was_asked():
    assert (await calculate("255 in hex"))["sentence"] == "255 = 0xff"
    found = read_arithmetic("What is 255 in hex?")
    assert found is not None
    assert (await calculate(found.text))["value"] == "0xff"


@pytest.mark.parametrize("question", ["1.5 in binary", "0.5的十六进制", "$5 in hex"])
async def test_only_whole_numbers_have_another_base(question: str):
    with pytest.raises(Impossible, match="Only whole numbers"):
        await calculate(question)


@pytest.mark.parametrize("question", ["0xfg in decimal", "binary 1021 in decimal", "十六进制255是多少"])
async def test_what_is_no_number_in_its_base_is_declined(question: str):
    assert read_arithmetic(question) is None


@pytest.mark.parametrize(
    ("question", "prime", "sentence"),
    [
        ("is 97 prime?", True, "97 is a prime number"),
        ("Is 91 a prime number?", False, "91 is not a prime number: 7 × 13"),
        ("tell me whether 2 is prime", True, "2 is a prime number"),
        ("97是质数吗", True, "97 是质数"),
        ("请问91是不是素数？", False, "91 不是质数：7 × 13"),
        ("1000000007是质数吗？", True, "1000000007 是质数"),
    ],
)
async def test_primes(question: str, *, prime: bool, sentence: str):
    found = await calculate(question)
    assert (found["value"], found["sentence"]) == (prime, sentence)


@pytest.mark.parametrize(
    ("question", "factors"),
    [
        ("prime factors of 84", [2, 2, 3, 7]),
        ("What is the prime factorization of 360?", [2, 2, 2, 3, 3, 5]),
        ("factorize 97", [97]),
        ("84的质因数有哪些", [2, 2, 3, 7]),
        ("把84分解质因数", [2, 2, 3, 7]),
    ],
)
async def test_prime_factors(question: str, factors: list[int]):
    assert (await calculate(question))["value"] == factors


@pytest.mark.parametrize("question", ["is 1 prime?", "is 2.5 prime?", "1是质数吗", "prime factors of 10000000000001"])
async def test_primes_are_whole_numbers_of_a_size(question: str):
    with pytest.raises(Impossible, match="Primes are looked for"):
        await calculate(question)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("what is 7 factorial", 5040),
        ("factorial of 10", 3628800),
        ("6! / 4!", 30),
        ("10的阶乘是多少", 3628800),
        ("standard deviation of 2, 4, 4, 4, 5, 5, 7 and 9", 2),
        ("What is the sample standard deviation of 2, 4 and 6?", 2),
        ("median of 7, 1 and 5", 5),
        ("2、4、4、4、5、5、7、9的标准差是多少", 2),
        ("求7、1、5的中位数", 5),
    ],
)
async def test_factorials_and_how_a_list_spreads(question: str, value: float):
    assert (await calculate(question))["value"] == value
