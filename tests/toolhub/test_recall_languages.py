"""A question finds tools that are described in the other language, without a model."""

import pytest

from switchyard.toolhub.capabilities import CapabilityTable
from switchyard.toolhub.recall.embedding import EmbeddingRecall, VectorTable, WordVectors
from switchyard.toolhub.recall.fusion import Fusion, TypeMatch
from switchyard.toolhub.recall.index import Bm25Recall, ToolIndex
from switchyard.tools.core import ToolSpec

PAIRS = {
    "Current weather for a city": ("查询城市天气", "what's the weather in Beijing", "北京今天天气怎么样"),
    "Reserve a hotel room": ("预订酒店房间", "book a hotel", "订一间酒店"),
    "Send an email": ("发送电子邮件", "email Tom", "给张三发邮件"),
    "Convert between currencies": ("货币兑换汇率", "exchange 100 dollars to yuan", "100美元换成人民币"),
    "Play a song": ("播放歌曲", "play a song", "放一首歌"),
    "Add an event to the calendar": ("添加日程", "add a meeting to my calendar", "在日历上加个会议"),
    "Find flights between airports": ("查询航班", "flights to Shanghai", "查上海到北京的航班"),
    "Translate text to another language": ("翻译文本", "translate this sentence", "把这句话翻译成英文"),
    "Get the stock price of a company": ("查询股票价格", "stock price of Apple", "苹果股价多少"),
    "Set an alarm clock": ("设置闹钟", "wake me at seven", "明早七点的闹钟"),
    "Find restaurants nearby": ("查找附近餐厅", "restaurants nearby", "附近的餐厅"),
    "Track a parcel": ("查询快递物流", "where is my parcel", "我的快递到哪了"),
    "Generate a random password": ("生成随机密码", "generate a password", "生成一个密码"),
    "Check road traffic": ("查询道路交通路况", "how is the traffic", "路况怎么样"),
    "Find a recipe": ("查询菜谱", "recipe for pork", "红烧肉的菜谱"),
    "Look up the record of a patient": ("查询病人病历", "look up the patient's record", "查病人的病历"),
    "Call a taxi": ("预约出租车", "call a taxi", "叫一辆出租车"),
    "Scan a network for open ports": ("扫描网络端口", "scan the network ports", "扫描网络端口"),
    "Return a product for a refund": ("商品退货退款", "I want a refund for this product", "这件商品我要退货"),
    "Buy a ticket for a concert": ("购买演唱会门票", "buy concert tickets", "买演唱会门票"),
    "Compute body mass index": ("计算体重指数", "my body mass index", "我的体重指数"),
    "Search job openings": ("搜索招聘职位", "find a job", "找工作"),
    "Level of water in a reservoir": ("查询水库水位", "how much water is in the reservoir", "盘石头水库水位"),
    "Transfer money to an account": ("银行转账", "make a bank transfer", "给李四转账"),
}
TABLE = CapabilityTable()


def fusion(*, english: bool) -> Fusion:
    texts = [said if english else chinese for said, (chinese, _, _) in PAIRS.items()]
    index = ToolIndex.of(
        TABLE.described(ToolSpec(tool_id=f"tool_{number}", description=text)) for number, text in enumerate(texts)
    )
    return Fusion(Bm25Recall(index), EmbeddingRecall(index, VectorTable(WordVectors())), TypeMatch(index))


@pytest.mark.parametrize("described", ["en", "zh"])
def test_the_tool_for_a_question_in_the_other_language_is_among_the_first(described: str) -> None:
    english = described == "en"
    recall = fusion(english=english)
    missed: list[str] = []
    for number, (_, asked_in_english, asked_in_chinese) in enumerate(PAIRS.values()):
        query = asked_in_chinese if english else asked_in_english
        if f"tool_{number}" not in {found.name for found in recall.recall(query, 5)}:
            missed.append(query)
    assert missed == []
