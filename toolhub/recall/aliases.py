"""Words for the same thing in both languages, so that a question finds tools that are described in the other one.

Each group is one meaning; a word may stand in several. Project words belong into a tool's own tags.
"""

from functools import lru_cache

from toolhub.recall.tokeniser import tokens

GROUPS = (
    "weather forecast warm cold hot rain umbrella 天气 天气预报 气温",
    "flight fly plane airline airfare 航班 机票 飞机 飞",
    "hotel accommodation stay room 酒店 宾馆 旅馆 住宿 房间 双人间 单人间",
    "train railway 火车 高铁 动车 列车",
    "ticket 票 车票 门票",
    "restaurant dining eat 餐厅 饭店 餐馆",
    "recipe dish cook 菜谱 食谱 做菜",
    "book reserve reservation 预订 预定 订 预约",
    "currency exchange money 货币 汇率 兑换 外汇 换成 能换",
    "dollar euro yen yuan pound currency 美元 欧元 日元 人民币 英镑 货币",
    "price cost 价格 多少钱 价钱 报价",
    "stock share 股票 股价 股 一股",
    "loan mortgage 贷款 房贷 月供",
    "bill invoice 账单 发票 费用",
    "email mail 邮件 电子邮件 发邮件 邮箱",
    "message 消息 信息",
    "send post 发送 发 发布",
    "calendar event schedule appointment 日历 日程 日程安排 会议",
    "meeting 会议 开会",
    "reminder remind 提醒",
    "task todo 任务 待办",
    "note notes 笔记 备忘",
    "music song play listen 音乐 歌 歌曲 播放 放 听",
    "light lamp 灯 灯光",
    "volume sound 音量 声音",
    "temperature thermostat heating 温度 空调 暖气",
    "direction route distance transit far drive walk car 路线 导航 距离 多远 怎么走 开车",
    "map location place 地图 位置 地点",
    "translate translation say 翻译 译成 翻成 翻译成 怎么说",
    "image picture photo 图片 照片 图像",
    "resize size width height 尺寸 大小 宽 高",
    "database table sql 数据库 表 数据表",
    "record row 记录 行",
    "column field schema 字段 列",
    "repository repo 仓库 代码库",
    "commit 提交",
    "branch 分支",
    "status state 状态",
    "diff difference compare 差异 对比 比较",
    "log history 日志 历史 记录",
    "issue bug ticket 问题 工单 缺陷",
    "page webpage website url fetch 网页 页面 网站 抓取",
    "news article headline 新闻 资讯 头条",
    "search find look 搜索 查找 检索 查询",
    "list show 列出 显示 有哪些",
    "create add make new open 创建 新建 添加 建 提",
    "update change modify 更新 修改 改 改成 改为",
    "order 订单",
    "parcel package shipment delivery track 快递 包裹 物流 运单 发货",
    "employee staff 员工 职员 工号",
    "leave vacation holiday 年假 假期 休假",
    "hospital doctor 医院 医生 挂号 门诊",
    "water level 水位 水情",
    "reservoir 水库",
    "rain rainfall 雨量 降雨 降水",
    "river 河流 河道",
    "station 站 测站 水文站",
    "forecast predict 预报 预测",
    "air quality pollution smog 空气质量 雾霾 PM2.5",
    "crypto cryptocurrency bitcoin 加密货币 比特币",
    "count 统计 计数 数一数",
    "split 拆分 分割",
    "merge 合并",
    "hash checksum 哈希 校验",
    "describe 描述 概况",
    "filter 筛选 过滤",
    "sort 排序",
    "aggregate 汇总 分组",
    "click 点击",
    "extract 提取",
    "screenshot 截图",
    "file document 文件 文档",
    "folder directory 文件夹 目录",
    "read open view cat 读取 读 打开 查看",
    "write save 写入 保存 写",
    "convert conversion change exchange 换算 转换 兑换",
    "calculate compute math 计算 算",
    "time clock 时间 几点 时刻",
    "date day 日期 几号",
    "user account 用户 账户 账号",
    "chart plot graph 图表 画图",
    "video movie film 视频 电影",
    "language 语言",
    "summary summarize 总结 摘要",
    "code program 代码 程序",
    "test 测试",
    "deploy release 部署 发布",
    "server service 服务器 服务",
    "log 日志",
    "alert notification notify 告警 通知",
    "tax 税 税费",
    "insurance 保险",
    "course class lesson 课程 课",
    "student 学生",
    "sport match score 比赛 比分 体育",
    "game 游戏",
    "health medical 健康 医疗",
    "car vehicle 汽车 车辆",
    "tool 工具",
)


@lru_cache(maxsize=1)
def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in GROUPS:
        terms = [tuple(tokens(word)) for word in group.split()]
        single = {term[0] for term in terms if term}
        for term in single:
            table.setdefault(term, set()).update(single - {term})
    return {term: frozenset(others) for term, others in table.items()}


def aliases(term: str) -> frozenset[str]:
    """Terms that mean the same, in either language."""
    return _table().get(term, frozenset())
