"""Which language a text is in, and the words that say what kind of task it is."""

import re
from typing import Literal

Language = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u9fff]")

_NEEDS_A_MODEL = re.compile(
    r"\b(?:poem|poetry|essay|story|joke|haiku|lyrics|slogan)\b"
    r"|\b(?:write|compose|draft|explain|translate|summari[sz]e|rewrite|paraphrase|recommend|imagine|invent)\b"
    r"|\b(?:why|what do you think|your opinion|meaning of|(?<!time )difference between(?! (?:today|now|\d)))\b"
    r"|写一?[首篇封个段]|作诗|诗歌|故事|笑话|解释|翻译|总结|概括|改写|润色|为什么|推荐|你觉得|什么意思|区别",
    re.IGNORECASE,
)


def language_of(text: str) -> Language:
    """The language a question is answered in: Chinese as soon as there is a Chinese character."""
    return "zh" if _HAN.search(text) else "en"


def needs_a_model(text: str) -> bool:
    """Whether a task asks for writing, explaining or judging, which no rule can do."""
    return _NEEDS_A_MODEL.search(text) is not None


_LIMITS = re.compile(
    r"\b(?:tomorrow|yesterday|ago|later|from now|will|last|first|next|largest|smallest|longest|shortest|biggest|newest"
    r"|oldest|latest|most|least|except|without|not|never|don't|doesn't|isn't)\b"
    r"|\bhow many (?:weeks|months|years|hours|minutes)\b|\b(?:until|between|since)\s*[?.]?\s*$"
    r"|多少周|几周|多少个?月|几个月|多少年|几年|多少小时|几个?小时|明天|昨天|后天|前天|未来|今后|接下来|[上下][周个]|去年|前年|明年|上次|以前|以后|最[大小长短新旧多少后早晚]|第[一二三四五六七八九十\d]|除了|不要|不是|(?<!有)没有|(?<![识分特级类区性差个])别(?!名)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")


def left_over(rest: str) -> list[str]:
    """What a task says that no argument carries: numbers, and words that narrow, shift or deny it.

    A tool that is called without them answers another question than the one that was asked.
    """
    return _DIGITS.findall(rest) + _LIMITS.findall(rest)


_ASKED_WORDS = (
    "what how when where who which tell show give many much me like please need want know look check get my "
    "our your each everyone does do did it they them their i we you he she his her there here current "
    "currently now latest today right moment 等于 设个 设 多少 什么 哪个 哪些 告诉 看看 一下 怎么样 怎样 如何 "
    "需要 想要 知道 分别 一共 总共 现在 当前 目前 最新 最近 今天 此刻 来着 啊 嘛 呀 哦 每个 每一个 个 种 里 "
    "中 下 用 要 能 会 想 让 被 到 从 去 查 查询 查一下 看 帮 帮我 给 请 我 我们 你 您 吗 呢 吧 呗 有 是 多 "
    "几 的 在 把 将 了 和 "
)
_ASKED = frozenset(_ASKED_WORDS.split())
"""Words every question has: they speak of no tool and name no value."""


_ARTICLE = re.compile(r"一[封间份个条次张位只台件篇本家些趟班首句段种]|.个|degree|percent")


def is_asked(word: str) -> bool:
    """Whether every question has this word, or it is only an article: 一封, 挂个."""
    return word in _ASKED or _ARTICLE.fullmatch(word) is not None


_GENERAL_WORDS = (
    "get set search find list create queri lookup look make show updat add run check "
    "查询 搜索 查找 检索 列出 创建 设置 获取 找 搜"
)
_GENERAL = frozenset(_GENERAL_WORDS.split())
"""What half of all tools call themselves, English ones as stems: it tells none of them from another."""


def is_general(word: str) -> bool:
    """Whether a word is what half of all tools call themselves."""
    return word in _GENERAL


_DEMONSTRATIVE = re.compile(
    r"\b(?:that|this|those|these)\s+(?:file|number|one|result|order|city|page|document|value)s?\b"
    r"|(?:那个|这个|该|那份|这份|那些|这些)(?!文件夹|目录|项目|仓库|工作区|月|星期|周|时候|城市的)",
    re.IGNORECASE,
)


def is_demonstrative(text: str) -> bool:
    """Whether a text points at something it does not name: that file, 那个文件."""
    return _DEMONSTRATIVE.search(text) is not None


_ACTS_WORDS = (
    "delet remov drop eras renam move copi replac overwrit edit updat chang upload instal download send post "
    "buy sell pay cancel book order call print kill restart format encrypt compress unsubscrib share publish "
    "deploy 退掉 退回 退订 撤销 交费 缴费 还款 交一下 assign transfer subscrib 删除 删掉 删 移除 重命名 移动 "
    "复制 替换 覆盖 编辑 修改 改成 改为 清空 上传 下载 安装 发送 购买 支付 取消 打印 重启 加密 压缩 分享 发布 "
    "部署 卸载 转账 打电话 "
)
_ACTS = frozenset(_ACTS_WORDS.split())
"""What changes something, English ones as stems: a tool that does not speak of it does not do it."""


def is_act(word: str) -> bool:
    """Whether a word asks for a change of something."""
    return word in _ACTS or (not word.isascii() and any(word.startswith(act) for act in _ACTS if not act.isascii()))


_CHANGES_WORDS = (
    "write save store append creat add set put insert record commit push toggl switch schedul remind play regist "
    "reserv submit merg split resiz 写 写入 保存 新建 创建 追加 设置 设定 预订 预约 提醒 播放 提交 合并 拆分 调整 调节 "
)
_CHANGES = frozenset(_CHANGES_WORDS.split())


def is_change(word: str) -> bool:
    """Whether a word in a tool's name says that it changes or makes something."""
    return word in _CHANGES or is_act(word)


_SMALL_ACTS = re.compile(r"[退交缴删撤](?=一下|掉|了|回|费|钱|款|订|货)|[存写](?=[到入进为成](?![了过着的]))")


def small_acts(text: str) -> list[str]:
    """Acts of one character, which segmentation does not tell from others."""
    return _SMALL_ACTS.findall(text)


_CONDITION = re.compile(r"^(?:if|when|whenever|unless|in case)\b|如果|要是|假如|万一|的话", re.IGNORECASE)


def is_conditional(text: str) -> bool:
    """Whether something is to be done only under a condition, which no rule can watch."""
    return _CONDITION.search(text) is not None
