"""Chinese: noun phrases with their markers, and couplings.

In:   claim text, simplified or traditional.
Out:  phrases and components for ``zh.py``.
Why:  nothing separates the words, so that a phrase is what is left between the words that are
      surely none of it; 所述 marks what is known, a bare noun is new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phage.graph.language.passage import Passage
from phage.graph.language.phrases import (
    Mark,
    Naming,
    Phrase,
    Predicate,
    components_of,
    words,
)
from phage.graph.language.types import Mention

_KNOWN = (
    r"所述(?:的|各|每个|每一)?|[该該](?:些|等)?|[这這]些|上述(?:的|各)?|前述(?:的)?|所说(?:的)?|"
    r"此(?![外时前后])"
)
_UNIT = r"[个個种種组組对對条條根块塊只隻路台套片支段排列项項类類件颗张名]"
_COUNT = rf"(?:[一二两兩三四五六多几數数]|[\dA-Za-zη×+*-]{1, 6}|复数|複數)\s?{_UNIT}(?:以上)?的?"
_NEW = (
    rf"至少{_COUNT}|{_COUNT}|至少一|若干|另一个?|其他|其它|"
    r"一(?![端侧体般定次致起些样直方旦部者级维个個])"
)
_EACH = r"每一?[个個条组根级相路]?|各个?(?!自)"
# Words that hold a sign which elsewhere ends a phrase.
_WHOLE = words(
    "对称 方向 轴向 径向 横向 纵向 周向 双向 单向 反向 正向 同向 切向 向心 定向 导向 转向 向量 取向 流向 "
    "从动 从机 主从 从属 自由 路由 有源 有机 有效 有限 有功 有害 有序 固有 并网 把手 以太网 饱和 中和 总和 "
    "使能 内存 中心 中间 中央 中点 中性 中枢 时间 空间 期间 区间 间隔 间隙 间距 计时 定时 时钟 时序 时段 "
    "时长 实时 时刻 小时 延时 应力 响应 应变 适应 感应 反应 效应 供应 可编程 可控硅 可控 可变 可见光 可调 功能 "
    "性能 能量 能源 储能 电能 热能 智能 动能 势能 后盖 后壁 后轮 后端 后侧 后部 后视镜 后桥 接地 地址 "
    "地面 地图 场地 地线 等级 等效 等离子 均等 规则 准则 平均 均衡 均匀 均值 均压 再生 最大 最小 最高 "
    "最低 最优 不锈钢 非线性 非易失 对象 对流 对比 对接 配对 更新 变更 还原 即时 指令 命令 令牌 与门 或门 "
    "行为 之一 如下 被动 只读 以上 以下 上端 上表面 上部 上盖 上壳 下端 下表面 下部 下盖 下壳 内部 外部 "
    "内侧 外侧 内壁 外壁 内腔 外壳 内圈 外圈 前端 前侧 前部 当前 目前 到达 达到 电流 电压 过程 过滤 处理 "
    "合成 成型 成像 集成 总成 应用 作用 用户 通用 经济 经验 神经 比例 比值 对比度 来源 未来 受体 受热 "
    "场所 处所 其他 占空比 本地 侧向 充电 放电 补能 滑动轴承 滚动轴承 转动惯量 移动终端 运动学"
)
_CUT = words(
    "权利要求 其特征在于 其特征是 其特征 其特性 特征在于 其中 以及 或者 并且 而且 从而 因此 然后 但是 使得 "
    "以使 以便 用于 用以 用来 通过 经由 经过 根据 按照 依据 基于 利用 采用 使用 借助 由于 关于 对于 针对 "
    "之间 之中 之上 之下 之内 之外 之后 之前 位于 处于 在于 包括 包含 具有 设有 带有 含有 还有 配有 装有 "
    "开有 没有 所有 至少 可以 能够 应当 需要 为了 作为 成为 存在 那样 这样 所谓 分别 相互 彼此 依次 依序 "
    "同时 进一步 直接 间接 优选地 优选 特别地 此外 另外 大致 基本上 基本 例如 比如 相对于 相对 一旦 随着 "
    "等于 大于 小于 低于 高于 不小于 不大于 大约 分为 称为 记为 表示 是否 向上 向下 向内 向外 向前 向后 "
    "各自 来自 背离 靠近 远离 除了 形成 组成 构成 构造成 构造 提供 实现 进行 执行 得到 获得 获取 确定 判断 "
    "产生 生成 施加 建立 穿过 插入 围绕 环绕 包围 覆盖 套设 嵌入 朝向 相连 相接 防止 避免 减小 增大 提高 "
    "降低 选自 满足 添加 加入 限定 界定 保持 延伸 铰接 焊接 固接 粘接 螺接 插接 制成 填充 流出 流入 输送 "
    "放置 超过 间隔开 隔开 突出 敞开 维持 汲取 决定 改变 关闭 打开 开启 电性连接 电连接 机械连接 电耦合 "
    "级联 分配 夹紧 运动 倾斜 断开 闭合 导通 关断 串联 并联 选取 代入 紧固 压缩 张紧 "
    "相适应 相匹配 相配合 相抵 协同作用 协同 失电 配装 叠置 悬置 定位 接纳 容置 收容 称 比 经 用 来 其 受 所 绕 上的 中的 内的 下的 的 与 與 和 及 或 在 于 "
    "於 为 為 是 被 将 將 由 从 從 向 对 對 以 并 並 且 则 則 而 使 令 当 當 均 还 也 又 再 都 仅 只 更 最 "
    "不 未 若 如果 如 沿着 沿 朝 至 到 有 地 得 时 時 后 後 之 等 可 能 应 即"
)
# Verbs that also stand inside names (连接件, 控制器): cut only where no name goes on.
_ACTION = words(
    "连接 連接 固定 安装 安裝 设置 設置 配置 布置 耦合 耦接 联接 接合 啮合 卡合 抵接 接触 支撑 支承 支持 "
    "容纳 接收 发送 传输 输出 输入 检测 控制 调节 计算 存储 转换 驱动 带动 推动 切换 操作 贴合 对应 匹配 "
    "配合 连通 垂直 平行 选择 设计 定义 引导 夹持 压紧 锁定 释放 接入 引入 导入 混合 加热 冷却 干燥 搅拌 "
    "收集 分离 清洗 喷涂 制备 调整 设定 采集 测量 监测 显示 传递 激活 判定 识别 密封 固化 移动 转动 旋转 滑动"
)
_HEAD = re.compile(
    r"模块|模組|模型|单元|單元|装置|裝置|机构|機構|组件|組件|电路|電路|系统|系統|元件|信号|信號|数据|参数|"
    r"部件|构件|構件|结构|結構|设备|設備|材料|介质|溶液|方法|算法|程序|关系|状态|步骤|时间|方式|性能|速度|"
    r"温度|电压|电流|功率|频率|阈值|指令|命令|请求|结果|信息|接口|通道|回路|开关|母线|弹簧|螺栓|螺钉|螺母|"
    r"齿轮|轴承|电机|马达|气缸|油缸|活塞|滑块|导轨|皮带|把手|手柄|按钮|面板|支架|支座|底座|壳体|箱体|腔体|"
    r"本体|主体|电容|电阻|电感|电极|电源|电池|电缆|表面|区域|位置|空间|脉冲|部分|基板|节点|支承|终端|控制|采集|"
    r"[件部板杆桿器座架轴軸孔端线線管柱块塊环環槽面口片体體机機组組层層腔室盒箱带轮輪盘盤盖蓋套销栓筒臂爪头"
    r"頭腿脚框壁罩网布膜极極点點值量率比角力区區段侧側位域路库表图圖集码碼流压壓波场栅阀閥泵缸杯]"
)


def _any(listed: frozenset[str]) -> str:
    return "|".join(sorted(listed, key=lambda word: (-len(word), word)))


_TOKEN = re.compile(
    rf"(?P<cut0>权利要求|其特[征徵性])|(?P<new>{_NEW})|(?P<known>{_KNOWN})|(?P<each>{_EACH})|"
    rf"(?P<whole>{_any(_WHOLE)})|(?P<cut>{_any(frozenset(w for w in _CUT if len(w) > 1))})|"
    rf"(?P<action>{_any(_ACTION)})|(?P<cut1>{_any(frozenset(w for w in _CUT if len(w) == 1))})|"
    r"(?P<sign>[一-龥A-Za-z0-9α-ωΑ-Ω_/‐-])"
)
_PLACE = re.compile(r"(?<=..)(?:上方|下方|一侧|两侧|两端|一端|内部|外部|[上中内內下外里间間处處])$")
_INSIDE = re.compile(r"(?:空间|时间|期间|区间|中间|车间|集中|室内|体内|以上|以下|以内)$")
_NUMBER = re.compile(r"[\d.~～/%A-Za-z-]{1,3}|[\d.~～/-]+[A-Za-z%μ度]*")
_ADJECTIVE = re.compile(
    r"[性形型状式色]$|^(?:相应|对应|不同|相同|较高|较低|一定|空心|独立|液压|单独|大致|剩余|合成树脂)$"
)
NAMING = Naming(
    head_last=True,
    blank=r"[（(][^()（）]*[)）]|[①-⓿]",
    preamble=r"[,，;；:：]|其特征|包括|包含",
    stop=words(
        "方法 装置 裝置 系统 系統 设备 設備 组合物 产品 发明 用途 步骤 步驟 特征 特徵 方式 情况 形式 种 部分 "
        "一部分 其余 任一项 任一 一项 之一 一者 另一者 两者 二者 组 群组 方案 过程 程度 范围 数量 个数 中 上 "
        "下 内 外 间 一侧 另一侧 一端 另一端 两端 两侧 目的 基础 式 公式 自然数 整数 正整数 重量 质量 方向 "
        "下述 以下 下列 相同 不同 一致 相等 相反 多 少 条件下 情况下 以下操作 以下状态 以下方式 操作 控制 "
        "连接 上下 一体 同一 任意 关系 状态下 要求 处理 放电 补能 计 第一 第二 第三 充电 反应 加热 水平 时"
    ),
)


def chunks(text: str) -> Iterator[Phrase]:
    """Find what stands between the words that surely end a phrase, with its marker.

    >>> [(p.term, str(p.mark)) for p in chunks("所述第一连接件与至少一个壳体连接")]
    [('第一连接件', 'known'), ('壳体', 'new')]
    """
    # One blank is a line break inside a word; more are a numeral in brackets, which ends one.
    places = [m.start() for m in re.finditer(r"\S|\s(?=\s)", text)]
    for phrase in _compact("".join(text[place] for place in places)):
        start, end = places[phrase.start], places[phrase.end - 1] + 1
        yield Phrase(phrase.term, phrase.mark, start, end)


_MARKS = {"known": Mark.KNOWN, "new": Mark.NEW, "each": Mark.EACH}


def _compact(text: str) -> Iterator[Phrase]:
    """Chunk a text from which line breaks inside words are gone."""
    mark, start, begin, before, place = Mark.NONE, -1, -1, "", 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        kind, word = (token.lastgroup or "", token.group()) if token else ("", text[place])
        near = text[max(begin, place - 4) : place] if begin >= 0 else ""
        if (
            kind in ("sign", "whole")
            or (kind in ("new", "each") and near.endswith(("第", "单", "统", "同", "唯", "任")))
            or (kind == "action" and _names(text, place + len(word), near, mark, before))
        ):
            begin = begin if begin >= 0 else place
        else:
            inner = text[begin:place] if begin >= 0 else ""
            adjective = word == "的" and bool(inner) and _ADJECTIVE.search(inner) is not None
            if inner and word != "地" and not adjective:
                yield from _phrase(inner, mark, start, begin)
            waits = kind in ("new", "each") and mark is Mark.KNOWN and not inner
            if not adjective and not waits:  # 所述环形的凸缘, 所述多个凸缘
                mark = _MARKS.get(kind, Mark.NONE)
                start = place if kind in _MARKS else -1
            begin, before = -1, word
        place += len(word)
    if begin >= 0:
        yield from _phrase(text[begin:], mark, start, begin)


_OPENS_NAME = words("的 、 和 与 及 或 包括 包含 具有 设有 为 ， , ； ; ： : 其中 有 以及")
_ENDS_NAME = re.compile(
    r"(?:[器机機部]|模块|模組|单元|單元|系统|系統|装置|裝置|电路|電路|设备|設備|芯片)$"
)
"""A thing that acts: what follows it is its verb, not the rest of its name."""


def _names(text: str, end: int, inner: str, mark: Mark, before: str) -> bool:
    """Say whether a verb is part of a name: 连接件, 驱动电机, 第一检测信号."""
    head = _HEAD.match(text, end)
    if head is None:
        return False
    if len(head.group()) == 1:
        return True
    if inner:
        return not (len(inner) > 1 and _ENDS_NAME.search(inner))
    return mark is not Mark.NONE or before in _OPENS_NAME or not before.strip()


def _phrase(inner: str, mark: Mark, start: int, begin: int) -> Iterator[Phrase]:
    """Cut what only tells the place; nothing where no thing is named."""
    end = len(inner)
    while not _INSIDE.search(inner, max(0, end - 2), end) and (
        place := _PLACE.search(inner, max(0, end - 2), end)
    ):
        end = place.start()
    name = inner[:end]
    named = re.search(r"[一-龥]", name) is not None or mark is not Mark.NONE
    if named and not _NUMBER.fullmatch(name) and (len(name) > 1 or mark is Mark.KNOWN):
        yield Phrase(name.lower(), mark, start if start >= 0 else begin, begin + len(name))


# --- Couplings ---

VERBS = {
    "configure": r"(?:配置|构造|設置|设置|设计|構造)(?:成|为|為|用于|用以)",
    "couple": r"耦合|耦接|联接|聯接",
    "connect": r"连接|連接|相连|相接|连通|接入",
    "attach": r"固定|附接|附着|粘接|贴附|紧固|固接",
    "mount": r"安装|安裝|装设|套设|装配",
    "dispose": r"设置|設置|布置|设于|配置(?=在|于)",
    "position": r"定位|放置",
    "support": r"支撑|支承|支撐|承载",
    "engage": r"接合|啮合|嚙合|卡合|配合|咬合",
    "receive": r"容纳|容納|接收|接纳|收容",
    "extend": r"延伸",
    "interpose": r"夹设|夹置|介于|夹在",
    "adapt": r"适于|适合于|适配|適於",
}
_CLAUSE = re.compile(r"[，,；;。：:]")
_SENTENCE = re.compile(r"[；;。：:]")
_WITH = re.compile(r"[与與和同跟至到将將把由]|通过|被|相")
_NOUN_USE = re.compile(
    r"\s*(?:包括|包含|为|是|关系|方式|中|时|点|系统|装置|机构|结构|组件|电压|[件部板杆器座架轴孔端线柱块环槽面口片体])"
)
_OWNER = re.compile(r"\s*(?:的|之)\s*")


def joins(passage: Passage, predicate: Predicate) -> Iterable[Mention]:
    """Give the phrases of the verb's clause but owners; where it has no subject, the topic."""
    text = passage.text
    start = passage.last_before(_CLAUSE, predicate.start)
    end = passage.first_after(_CLAUSE, predicate.end)
    ends_clause = passage.blank(predicate.end, end)
    if _NOUN_USE.match(text, predicate.end) or (
        ends_clause and not _WITH.search(text, start, predicate.start)
    ):
        return []  # 支承系统, 星形连接
    before = [
        m
        for m in passage.within(start, predicate.start, predicate.start)
        if not _OWNER.match(text, m.end)
    ]
    after = [m for m in passage.within(predicate.end, end, predicate.end) if not _owns(passage, m)]
    if not before:
        sentence = passage.last_before(_SENTENCE, predicate.start)
        spoken = passage.forth_from(sentence, start)
        topic = next((m for m in spoken if not _owns(passage, m)), None)
        before = [topic] if topic else []
    if predicate.verb == "configure":
        before, after = before[-1:], after[:1]
    members = [*before[-2:], *after[:2]]
    return members if len(members) > 1 else []


def _owns(passage: Passage, mention: Mention) -> bool:
    """Say whether the phrase only owns the next one: 壳体的内壁."""
    owner = _OWNER.match(passage.text, mention.end)
    return owner is not None and passage.starts_at(owner.end())


components = components_of(VERBS, joins)
