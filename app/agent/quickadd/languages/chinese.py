"""Chinese words and patterns of quick add, in simplified and traditional characters."""

from app.agent.quickadd.languages.common import WIDE_PRIORITY
from app.agent.quickadd.languages.language_spec import Language, Rule

DIGITS = dict(zip("零一二三四五六七八九", range(10), strict=True)) | {"两": 2, "兩": 2, "〇": 0}
NUMBERS = (
    DIGITS
    | {
        f"{tens}十{ones}": int(DIGITS.get(tens, 1)) * 10 + DIGITS.get(ones, 0)
        for tens in ("", *"二三四五六")
        for ones in ("", *"一二三四五六七八九")
    }
    | {"廿": 20}
)
WEEKDAYS = {
    f"{word}{day}": number
    for word in ("星期", "周", "週", "礼拜", "禮拜")
    for number, days in enumerate(("一", "二", "三", "四", "五", "六", "日天"))
    for day in days
}
MONTHS = {f"{name}月": number for name, number in NUMBERS.items() if 1 <= number <= 12}
UNITS = {
    "分钟": "minute",
    "分鐘": "minute",
    "小时": "hour",
    "小時": "hour",
    "个小时": "hour",
    "個小時": "hour",
    "个钟头": "hour",
    "钟头": "hour",
    "天": "day",
    "日": "day",
    "周": "week",
    "週": "week",
    "星期": "week",
    "个星期": "week",
    "個星期": "week",
    "礼拜": "week",
    "个礼拜": "week",
    "个月": "month",
    "個月": "month",
    "月": "month",
    "年": "year",
    "周末": "weekend",
    "週末": "weekend",
    "季度": "quarter",
    "个季度": "quarter",
}
PARTS = {
    "凌晨": "dawn",
    "清晨": "morning",
    "早上": "morning",
    "早晨": "morning",
    "上午": "morning",
    "早": "morning",
    "中午": "noon",
    "下午": "afternoon",
    "午后": "afternoon",
    "傍晚": "dusk",
    "晚上": "night",
    "晚间": "night",
    "夜里": "night",
    "夜晚": "night",
    "晚": "night",
    "半夜": "midnight",
    "午夜": "midnight",
}
DAYS = {
    "大后天": 3,
    "大後天": 3,
    "后天": 2,
    "後天": 2,
    "明天": 1,
    "明日": 1,
    "明儿": 1,
    "今天": 0,
    "今日": 0,
    "今儿": 0,
}
ORDINALS = {
    "第一个": 1,
    "第一個": 1,
    "第二个": 2,
    "第二個": 2,
    "第三个": 3,
    "第四个": 4,
    "最后一个": -1,
    "最後一個": -1,
}

NUMBER = r"(?P<number>[0-9]{1,3}|[一二两兩三四五六七八九十]{1,3})"
DAY = r"(?P<day>[12][0-9]|3[01]|0?[1-9]|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
WEEKDAY = r"(?:星期|周|週|礼拜|禮拜)[一二三四五六日天]"
HOUR = r"(?P<hour>2[0-4]|1[0-9]|0?[0-9]|二?十[一二三四五六七八九]?|[零一二两兩三四五六七八九])"
MINUTE = r"(?P<minute_word>[0-5]?[0-9]|[二三四五]?十[一二三四五六七八九]?)"
MONTH_DAY = (
    rf"(?:{{year}}年)?(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月{DAY}[日号號]"
)
PART = "凌晨|清晨|早上|早晨|上午|中午|下午|午后|傍晚|晚上|晚间|夜里|夜晚|半夜|午夜|早|晚"
SEP = r"[\s,，、]?"
UNTIL = r"(?P<until>(?:一?直)?到|至|截止到?)?(?:于|在)?"
BY = r"(?:日)?(?:之前|以前|前)?"
NOT_OF = r"(?!\s?(?:的|新闻|日报|方舟|头条|餐厅|之后|以后|后|號|号))"
"""Followed by these, a day belongs to what follows or is a name."""
NOT_AFTER = r"(?<![0-9一二三四五六七八九十第上年月版从從自])"

RECURRENCE = (
    Rule("monthly_weekday", rf"每(?:个|個)?月(?:的)?{{nth}}(?P<weekday>{WEEKDAY})"),
    Rule("monthly_day", rf"每(?:个|個)?月(?:的)?{DAY}(?:日|号|號)"),
    Rule(
        "monthly_day",
        r"每(?:个|個)?月(?:的)?(?:最后一天|最後一天|月底|底)|每(?:到)?月底",
        says={"last": "1"},
    ),
    Rule("yearly", rf"每年(?:的)?{MONTH_DAY}"),
    Rule(
        "every_weekday",
        rf"每隔?(?:一|1)周(?:的)?(?P<weekdays>{WEEKDAY}(?:[、,，和及]?{WEEKDAY}){{0,6}})",
        says={"other": "1"},
    ),
    Rule(
        "every_weekday",
        rf"每(?P<number>[0-9]{{1,2}}|[一二两兩三四五六])(?:个|個)?(?:周|星期|礼拜)(?:的)?(?P<weekdays>{WEEKDAY})",
    ),
    Rule(
        "every_weekday",
        rf"每(?:个|個|逢)?(?P<weekdays>{WEEKDAY}(?:[、,，和及]?(?:每)?{WEEKDAY}){{0,6}})",
    ),
    Rule(
        "every_weekday",
        r"每(?P<weekdays>(?:周|週|星期)[一二三四五六日天](?:[、,，和及]?[一二三四五六日天]){1,6})(?![月年个天点點日])",
    ),
    Rule("workdays", r"每(?:个|個)?(?:工作日|平日)|工作日每天|(?:每)?周一(?:到|至)周五"),
    Rule("weekends", r"每(?:个|個)?(?:周末|週末)"),
    Rule("every", r"每隔一(?P<unit>天|周|週|个星期|个月|年)", says={"number": "2"}),
    Rule("every", rf"每隔?{NUMBER}(?P<unit>天|周|週|个星期|星期|个礼拜|礼拜|个月|個月|个季度|年)"),
    Rule("every", r"每(?:一)?(?P<unit>天|日|周|週|星期|礼拜)(?![一二三四五六日天都新食])(?:一次)?"),
    Rule("every", r"每(?:个|個)?(?P<unit>月|星期|季度|年)(?![一二三四五六日天都])(?:一次)?"),
    Rule("every_part", rf"每(?:天|日)?(?P<part>{PART})(?!餐|饭|會|会)"),
)
DATES = (
    Rule(
        "date",
        r"{year}-(?P<month_number>0?[1-9]|1[0-2])-(?P<day>0[1-9]|[12][0-9]|3[01]|[1-9])(?![0-9])"
        + BY
        + NOT_OF,
    ),
    Rule(
        "date",
        r"{year}/(?P<month_number>0?[1-9]|1[0-2])/(?P<day>[12][0-9]|3[01]|0?[1-9])(?![0-9])"
        + BY
        + NOT_OF,
    ),
    Rule("date", rf"{UNTIL}{NOT_AFTER}{MONTH_DAY}(?:[(（]?{WEEKDAY}[)）]?)?{BY}{NOT_OF}"),
    Rule(
        "this_month",
        rf"{UNTIL}(?:(?P<next>下)(?:个|個)?|这个?|這個?|本)月{DAY}[日号號]{BY}{NOT_OF}",
    ),
    Rule(
        "date",
        rf"{UNTIL}{NOT_AFTER}(?<![#A-Za-z]){DAY}[号號](?!房|楼|樓|店|门|門|线|線|机|車|车|桌|馆|馆|公|院|文|电|信|码|碼|厅|室|院|仓|库|球|选|產|产|种){BY}{NOT_OF}",
    ),
    Rule("ahead", rf"(?:过|過|再过)?{NUMBER}{{unit}}(?:之后|以后|之後|以後|后|後)(?!的)"),
    Rule("ahead", rf"{NUMBER}{{unit}}(?:之?内|以内|之內|內)(?!的)"),
    Rule("half_hour", r"(?:过|過)?半(?:个|個)?(?:小时|小時|钟头)(?:之后|以后|后|後)(?!的)"),
    *(
        Rule(
            "period",
            rf"{UNTIL}(?:(?:这个?|這個?|本|在)?{words}){BY}{NOT_OF}",
            says={"end": "1", "unit": unit},
        )
        for words, unit in (("(?:月底|月末)", "月"), ("(?:年底|年末|年终)", "年"))
    ),
    Rule(
        "period",
        rf"{UNTIL}下(?:个|個)?月(?:底|末){BY}{NOT_OF}",
        says={"end": "1", "unit": "月", "next": "1"},
    ),
    Rule(
        "period",
        rf"{UNTIL}(?:(?P<next>下)(?:个|個)?|这个?|這個?|本)?(?P<unit>周末|週末){BY}{NOT_OF}(?!愉快|快乐|刊|版)",
    ),
    Rule("weekday", rf"{UNTIL}(?P<after_next>下下)(?:个|個)?(?P<weekday>{WEEKDAY}){BY}{NOT_OF}"),
    Rule("weekday", rf"{UNTIL}(?P<next>下)(?:个|個)?(?P<weekday>{WEEKDAY}){BY}{NOT_OF}"),
    Rule("weekday", rf"{UNTIL}(?P<this_week>这个?|這個?|本)(?P<weekday>{WEEKDAY}){BY}{NOT_OF}"),
    Rule(
        "weekday",
        rf"{UNTIL}{NOT_AFTER}(?<!每)(?<!黑色)(?P<weekday>{WEEKDAY})(?![一二三四五六七八九十]){BY}{NOT_OF}",
    ),
    Rule(
        "period",
        rf"{UNTIL}(?P<next>下)(?:个|個)?(?P<unit>周|週|星期|礼拜|月)(?![一二三四五六日天末底]){BY}{NOT_OF}",
    ),
    Rule(
        "period", rf"{UNTIL}(?P<next>明)(?P<unit>年)(?!度){BY}{NOT_OF}(?![0-9一二三四五六七八九十])"
    ),
    Rule("named", rf"{UNTIL}{{day_name}}{BY}{NOT_OF}"),
    Rule("named", rf"(?P<day_name>[明今])(?P<part>早|晚)(?:上)?{BY}(?!的|餐|饭|会|點|报)"),
)
AT_PART = (rf"在?(?P<part>{PART}){SEP}", r"在?(?<![0-9.:])")
"""Before a clock time: a part of the day, or nothing, so that the time is also found where its
part belongs to something else.
"""
BEFORE_IT = r"(?:之?前)?(?!的)"
TIMES = (
    *(
        Rule(
            "range",
            rf"从?{at}{HOUR}(?:点|點|时|時)半?(?:到|至|-)(?P<end_hour>2[0-4]|1[0-9]|[0-9])(?:点|點|时|時)半?(?!的)",
        )
        for at in AT_PART
    ),
    *(
        Rule("clock", rf"{at}{HOUR}(?:点|點|时|時)半{BEFORE_IT}", says={"half_past": "1"})
        for at in AT_PART
    ),
    *(
        Rule("clock", rf"{at}{HOUR}(?:点|點)一刻{BEFORE_IT}", says={"amount": "一刻"})
        for at in AT_PART
    ),
    *(
        Rule("clock", rf"{at}{HOUR}(?:点|點)三刻{BEFORE_IT}", says={"amount": "45"})
        for at in AT_PART
    ),
    *(
        Rule(
            "clock",
            rf"{at}{HOUR}(?:点|點|时|時)(?P<amount>[0-5]?[0-9]|[二三四五]?十[一二三四五六七八九]?)分?{BEFORE_IT}",
        )
        for at in AT_PART
    ),
    *(
        Rule(
            "clock",
            rf"{at}{HOUR}(?:点整|點整|点钟|點鐘|点|點){BEFORE_IT}(?![心评赞击名子滴燃火到头水])",
        )
        for at in AT_PART
    ),
    *(
        Rule(
            "clock",
            rf"{at}(?P<hour>2[0-3]|1[0-9]|0?[0-9]):(?P<minute>[0-5][0-9])(?![0-9:]){BEFORE_IT}",
        )
        for at in AT_PART
    ),
    Rule("clock", rf"{AT_PART[0]}{HOUR}(?:时|時)(?![尚间候装]){BEFORE_IT}"),
    Rule(
        "clock",
        r"(?<![0-9a-z:.])(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5][0-9]))?\s?(?P<meridiem>am|pm)(?![a-z])",
    ),
    Rule("part", rf"在?(?P<part>{PART})之?前?(?![的餐饭会点報报礼安])", "beside"),
)
PRIORITIES = (
    *WIDE_PRIORITY,
    Rule(
        "urgent",
        r"(?:紧急|緊急|加急|最高优先级|优先级最高)(?=\s*[!！。]*\s*$)|^\s*(?:紧急|緊急|加急)(?=\s*[:!！,，])",
    ),
    Rule("high", r"(?:高优先级|优先级高|优先级[::]\s?高)(?=\s*[!！。]*\s*$)"),
    Rule("low", r"(?:低优先级|优先级低|优先级[::]\s?低)(?=\s*[!！。]*\s*$)"),
    Rule("priority", r"优先级\s?[::]?\s?(?P<level>[1-4])(?![0-9])"),
)
CHINESE = Language(
    code="zh",
    weekdays=WEEKDAYS | {day: number for number, day in enumerate("一二三四五六日")} | {"天": 6},
    months={name.removesuffix("月"): number for name, number in MONTHS.items()},
    numbers=NUMBERS,
    units=UNITS,
    parts=PARTS,
    days=DAYS | {"明": 1, "今": 0},
    ordinals=ORDINALS,
    rules=(*PRIORITIES, *RECURRENCE, *DATES, *TIMES),
    macros={"day_name": "(?P<day_name>大?[后後]天|明[天日儿]|今[天日儿])"},
    leads=r"(?:请)?(?:提醒我|记得|記得|别忘了|不要忘记|待办[:：]|任务[:：])(?:要)?\s*",
    spaced=False,
)
