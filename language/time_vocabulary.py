"""The words that may stand in a question about time without meaning more than it asks, by what the question is about.

A word that is not here makes the question one that others have to read.
"""

import re
from functools import cache
from typing import Literal

Topic = Literal["now", "dates", "counts", "clocks", "ages", "zones", "facts"]

_COURTESY = re.compile(
    r"\b(?:i(?:'d| would)? (?:want|need|like|love)(?: to know)?|i(?:'m| am) (?:just )?wondering|i wonder|let me know"
    r"|do you (?:happen to )?know|(?:can|could|would|will) (?:you|u)(?: please)?(?: tell| give| show| remind)?(?: me)?"
    r"|(?:tell|give|show|remind) me|gimme|do you have|have you got|quick question|just curious|please|pls"
    r"|thanks?(?: you)?(?: in advance)?|hey|hi|hello|ok(?:ay)?|so|well|um|excuse me|sorry|just|actually|exactly"
    r"|right now|at (?:the|this) moment|by the way|btw|mate|folks|then|and"
    r"|my (?:deadline|birthday|exam|trip|wedding|flight|interview|vacation|holiday)(?: is)? (?:on )?(?=D))\b"
)

_ENGLISH: dict[Topic, str] = {
    "now": """
        a an the does do know say week weekday month year got is it its it's it'll that that's this are be of in at on
        for over there here now currently current moment me my our your you i what what's whats which how time local
        clock date day today o'clock by as we us s there's says show shows exact precise present their they them look
        up out check find get see hour tonight
    """,
    "dates": """
        was were will would did fall falls fell land lands come comes calendar if when when's from to been born count
    """,
    "counts": """
        many much long far old soon more full whole total number count amount difference days weeks months years hours
        minutes seconds minute second business working work workdays weekdays until till between and since before after
        left remain remaining remains away to go from have has had passed elapsed gone ago past off will was were still
        calendar been countdown apart if when
    """,
    "clocks": """
        if when when's suppose supposing assuming given convert conversion converted converting to into from will would
        was were equals equal equivalent same zone zones timezone later hence earlier after before plus minus add adding
        subtract past ago prior and with mine someone people than until till between long many much hours minutes
        seconds minute second left away have has i'm i'll go since still meeting meetings call calls webinar flight
        train game match class interview conference event session standup party lecture lesson movie film appointment
        deadline launch stream broadcast concert exam shift start starts started starting begin begins began end ends
        ended ending finish finishes finished take takes taking took last lasts lasting depart departs leave leaves
        arrive arrives scheduled set opens closes held place runs run friend colleague colleagues boss mom mum dad team
        client clients customer office worked working work sleep slept sleeping awake nap difference
    """,
    "ages": "born old age am i'm was if would will years months days weeks many turn someone somebody person who's",
    "zones": """
        difference hours hour ahead behind apart between and than from with much many far same zone timezone utc gmt
        offset to use
    """,
    "facts": """
        leap years weeks number no iso calendar days months have has left remaining remain many will was until till to
        still go before
    """,
}
_CHINESE: dict[Topic, str] = {
    "now": """
        请问 请教 麻烦 劳驾 帮我 帮忙 帮 告诉我 告诉 我想知道 想知道 知道 想问 问一下 问问 一下 查询 查一查 查
        看一下 看看 看 说说 说 给我 给 那么 那个 那 这个 这 我们 我 你们 你 您 能不能 能否 可以 能 可否 应该 到底
        究竟 具体 大概 准确 现在 目前 此刻 当前 眼下 当下 这会儿 如今 的时候 时候 时刻 当地 本地 那边 那里 那儿
        这边 这里 时间 日期 是不是 是 为 在 有 的话 的 了 吗 呢 啊 呀 吧 哦 嘛 呗 么 来着 啦 想 问 什么 哪一 哪个 哪
        几 多少 年 月 日 号 天 周 星期 礼拜 点钟 点 钟 时 啥 呐 哈 嗨 你好 您好 谢谢 谢了 感谢 辛苦 儿 何 报时 准
        正好 请 也 就 都 会 该 得 今年 先生 下 今儿 今儿个
    """,
    "dates": """
        落在 就是 正是 刚好 哪天 一天 那天 这天 当天 要是 如果 算算 算一下 计算 算 从 到 再 过 开始 起 算起 数 对应
    """,
    "counts": """
        一共 总共 共计 合计 总计 共 还有 还剩 还要 还差 还会 还得 还需 还 剩下 剩余 剩 距离 距今 距 离 等到 等 到了
        到 至今 至 从 自 由 起 开始 算起 算算 算一下 计算 算 求 之间 中间 期间 间 以来 已经 已 过去 过了 过 经过
        相差 相隔 相距 间隔 隔了 隔 差了 差 和 与 跟 及 同 之后 以后 之前 以前 后 前 多久 多长 多 个 小时 钟头 分钟
        分 秒 岁 工作日 倒计时 要 才 整整 整 来临 到来 天数 时长 周数
    """,
    "clocks": """
        如果 假如 假设 要是 若 当 换成 换算成 换算 转换成 转换 转成 换 对应 相当于 折合 等于 变成 成 把 将 用 按 到
        从 之后 以后 之前 以前 后 前 再 过 经过 加上 加 减去 减 个 小时 钟头 分钟 分 秒 多久 多长 多 距离 距 离 还有
        还剩 还差 还要 还 至 一共 总共 共 之间 间 和 与 同 起 开始 已经 过去 过了 间隔 相差 差 隔 此时 算 持续 时长
        整 往后 往前 向后 向前 推 朋友 同事 客户 老板 妈妈 爸爸 父母 团队 对方 他们 她们 他 她 人 打电话 开会 会议
        开个会 有个会 有会 电话会 电话 视频会 比赛 航班 飞机 火车 高铁 起飞 降落 到达 抵达 出发 直播 上课 下课 面试
        结束 发布会 举行 召开 开 需要 要 花 上班 下班 睡觉 睡 工作 起床 一场 一个 场 节 课
    """,
    "ages": "出生 生日 生 多大 岁 周岁 的人 人 已经 年龄 如果 满 到 过 个 多",
    "zones": """
        时差 时区 相差 差 个 小时 钟头 比 早 晚 快 慢 和 与 跟 同 之间 间 属于 位于 处于 用 使用 多 所在
    """,
    "facts": """
        闰年 平年 第 里 中 内 全年 本年 一年 这一年 当年 个 一共 总共 共 还有 还剩 剩下 剩余 剩 还 到 距离 离 已经
        过去 是否 本 多 才 月份 份 结束
    """,
}
"""What `now` has, every topic has."""


def unknown_words(masked: str, topic: Topic) -> list[str]:
    """What a masked text says that is no word of such questions."""
    english, chinese = _vocabulary(topic)
    rest = chinese.sub(" ", re.sub("[DCLPMY]", " ", _COURTESY.sub(" ", masked)))
    unknown = [word for word in re.findall(r"[a-zà-ɏ]+(?:['’][a-z]+)?", rest) if not {word, _bare(word)} & english]
    return unknown + re.findall(r"[^\W_a-zà-ɏ]+", rest)


def without_courtesy(masked: str) -> str:
    """A masked text without what is only said to be polite."""
    return _COURTESY.sub(" ", masked).strip(" ,.?!，。？！")


@cache
def _vocabulary(topic: Topic) -> tuple[frozenset[str], re.Pattern[str]]:
    more: tuple[Topic, ...] = ("now", "counts", topic) if topic == "ages" else ("now", topic)
    english = {word for name in more for word in _ENGLISH[name].split()}
    chinese = {word for name in more for word in _CHINESE[name].split()}
    return frozenset(english), re.compile("|".join(sorted(chinese, key=len, reverse=True)))


def _bare(word: str) -> str:
    return re.sub(r"['’](?:s|re|ll|d|m|ve)$", "", word)
