"""Japanese words and patterns of quick add."""

from app.agent.quickadd.languages.chinese import NUMBERS
from app.agent.quickadd.languages.common import WIDE_PRIORITY
from app.agent.quickadd.languages.language_spec import Language, Rule
from app.core.process.lazy_regex import regex

WEEKDAYS = {
    f"{day}{word}": number
    for number, day in enumerate("月火水木金土日")
    for word in ("曜日", "曜", "")
}
UNITS = {
    "分": "minute",
    "分間": "minute",
    "時間": "hour",
    "日": "day",
    "日間": "day",
    "週間": "week",
    "週": "week",
    "か月": "month",
    "ヶ月": "month",
    "カ月": "month",
    "ケ月": "month",
    "ヵ月": "month",
    "箇月": "month",
    "月": "month",
    "年": "year",
    "年間": "year",
    "週末": "weekend",
    "四半期": "quarter",
}
PARTS = {
    "未明": "dawn",
    "早朝": "morning",
    "朝": "morning",
    "午前中": "morning",
    "午前": "morning",
    "正午": "noon",
    "お昼": "noon",
    "昼": "noon",
    "午後": "afternoon",
    "夕方": "dusk",
    "晩": "night",
    "夜": "night",
    "深夜": "midnight",
    "真夜中": "midnight",
}
DAYS = {
    "明々後日": 3,
    "しあさって": 3,
    "明後日": 2,
    "あさって": 2,
    "明日": 1,
    "あした": 1,
    "あす": 1,
    "翌日": 1,
    "今日": 0,
    "きょう": 0,
    "本日": 0,
}
ORDINALS = {
    "第1": 1,
    "第2": 2,
    "第3": 3,
    "第4": 4,
    "第一": 1,
    "第二": 2,
    "第三": 3,
    "第四": 4,
    "最終": -1,
    "最後の": -1,
}

NUMBER = r"(?P<number>[0-9]{1,3}|[一二三四五六七八九十]{1,3})"
DAY = r"(?P<day>[12][0-9]|3[01]|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
WEEKDAY = r"(?P<weekday>[月火水木金土日]曜日?+)(?!大工|版|洋画|劇場|ロードショー)"
WEEKDAY_LIST = r"(?>[月火水木金土日](?:曜日?)?(?:[・、,とや]?[月火水木金土日](?:曜日?)?){0,6})"
HOUR = r"(?P<hour>2[0-4]|1[0-9]|0?[0-9]|二?十[一二三四五六七八九]?|[零一二三四五六七八九])"
PART = "未明|早朝|朝|午前中|午前|正午|お昼|昼|午後|夕方|晩|夜|深夜|真夜中"
MONTH_DAY = rf"(?:{{year}}年)?(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月{DAY}日"
BRACKET = r"(?:\s?[(（]\s?[月火水木金土日](?:曜日?)?\s?[)）])?"
TIME_NEXT = rf"(?=の?\s?(?:{PART}|[0-9一二三四五六七八九十]{{1,2}}(?:時|:)))の?"
TAIL = (
    rf"(?:\s?(?:までには|までに|まで|中に|には|に|より前に|前に)(?!なる|なっ|なり)|{TIME_NEXT}|(?=[\s、,。！!]|$)"
    r"|(?![のはがをもへとかにでやらまー分間以号系性]))"
)
"""What ends a day: a particle that goes with it, a time of day, or no particle that ties it to a
noun.
"""
CLOCK_TAIL = r"(?:までには|までに|まで|からは|から|ごろに|ごろ|頃に|頃|には|に|(?=[\s、,。！!]|$)|(?![のをはがもでへ間]))"
NOT_AFTER = r"(?<![0-9一二三四五六七八九十第毎先前昨〜~版])"

RECURRENCE = (
    Rule("monthly_weekday", rf"毎月(?:の)?{{nth}}{WEEKDAY}(?:に)?"),
    Rule("monthly_day", rf"毎月(?:の)?{DAY}日{TAIL}"),
    Rule("monthly_day", rf"毎月(?:の)?(?:末日|月末|末|最終日){TAIL}", says={"last": "1"}),
    Rule("yearly", rf"毎年(?:の)?{MONTH_DAY}{TAIL}"),
    Rule("every_weekday", rf"隔週(?:の)?(?P<weekdays>{WEEKDAY_LIST}){TAIL}", says={"other": "1"}),
    Rule(
        "every_weekday",
        rf"{NUMBER}週間?(?:ごと|おき|毎)(?:の|に)?(?P<weekdays>{WEEKDAY_LIST}){TAIL}",
    ),
    Rule("every_weekday", rf"毎週(?:の)?(?P<weekdays>{WEEKDAY_LIST}){TAIL}"),
    Rule("every_weekday", r"(?P<weekdays>[月火水木金土日]曜日?+)(?:ごと|毎)(?:に)?"),
    Rule(
        "workdays",
        r"(?:毎週)?(?:平日|営業日)(?:は毎日|毎日|に毎日|毎朝)(?:に)?|(?:毎週)?月曜(?:日)?から金曜(?:日)?(?:まで)?毎日",
    ),
    Rule("workdays", r"平日(?:は|に|の)?", "beside"),
    Rule("weekends", rf"毎週末{TAIL}"),
    Rule("fortnightly", rf"隔週{TAIL}"),
    Rule("every", rf"(?:隔(?P<unit>日|月|年)){TAIL}", says={"number": "2"}),
    Rule("every", r"一(?P<unit>日)おき(?:に)?", says={"number": "2"}),
    Rule(
        "every",
        rf"{NUMBER}(?P<unit>日|週間|週|か月|ヶ月|カ月|ヵ月|年)(?:ごと|毎|に一度|に1度|に一回|に1回)(?:に)?",
    ),
    Rule("every", rf"毎(?P<unit>日|週|月|年)(?!新聞|放送|曜|度|回|号)(?:{TAIL})"),
    Rule("every_part", rf"毎(?:日の?)?(?P<part>朝|昼|夕方|晩|夜){CLOCK_TAIL}"),
)
DATES = (
    Rule(
        "date",
        rf"{{year}}-(?P<month_number>0?[1-9]|1[0-2])-(?P<day>0[1-9]|[12][0-9]|3[01]|[1-9])(?![0-9]){TAIL}",
    ),
    Rule(
        "date",
        rf"{{year}}/(?P<month_number>0?[1-9]|1[0-2])/(?P<day>[12][0-9]|3[01]|0?[1-9])(?![0-9/]){TAIL}",
    ),
    Rule(
        "date",
        rf"(?<![0-9/])(?P<month_number>1[0-2]|0?[1-9])/(?P<day>[12][0-9]|3[01]|0?[1-9])(?![0-9/]){BRACKET}"
        rf"(?:(?:までには|までに|まで|に)|{TIME_NEXT}|(?=[\s、,。！!]|$))",
    ),
    Rule("date", rf"{NOT_AFTER}{MONTH_DAY}{BRACKET}{TAIL}"),
    Rule("this_month", rf"(?:(?P<next>来)|今)月(?:の)?{DAY}日{BRACKET}{TAIL}"),
    Rule(
        "date",
        rf"{NOT_AFTER}(?<![月年]){DAY}日{BRACKET}(?:(?:までには|までに|まで|に)|{TIME_NEXT})",
    ),
    Rule("ahead", rf"{NUMBER}{{unit}}後(?:までに|までには|に|には)?(?![のは])"),
    Rule("ahead", rf"{NUMBER}{{unit}}以内(?:に)"),
    Rule("half_hour", r"半時間後(?:に)?(?!の)"),
    *(
        Rule("period", rf"(?<!毎)(?:{words}){TAIL}", says={"end": "1", "unit": unit, **more})
        for words, unit, more in (
            ("今月末|月末|今月中", "月", {}),
            ("来月末", "月", {"next": "1"}),
            ("年末|今年中|年内", "年", {}),
            ("今週中", "週", {}),
            ("今日中|本日中", "日", {}),
        )
    ),
    Rule("period", rf"(?:(?P<next>来週の?|来)|今週の?|今度の|(?<![毎来先今]))(?P<unit>週末){TAIL}"),
    Rule("weekday", rf"(?P<after_next>再来週)(?:の)?{WEEKDAY}{TAIL}"),
    Rule("weekday", rf"(?P<next>来週|翌週)(?:の)?{WEEKDAY}{TAIL}"),
    Rule("weekday", rf"(?P<this_week>今週)(?:の)?{WEEKDAY}{TAIL}"),
    Rule("weekday", rf"(?:次の|今度の)?{NOT_AFTER}{WEEKDAY}(?![ァ-ヶ]){TAIL}"),
    Rule("period", rf"(?P<next>来)(?P<unit>週|月|年)(?![0-9の末]){TAIL}"),
    Rule("named", rf"{{day_name}}(?!の料理|の天気|中){TAIL}"),
    Rule("today", rf"今(?P<part>朝|晩|夜|夕方|昼){CLOCK_TAIL}"),
    Rule("named", rf"(?P<day_name>明)(?P<part>朝|晩){CLOCK_TAIL}"),
)
AT_PART = (rf"(?P<part>{PART})の?\s?", "(?<![0-9:.])")
"""Before a clock time: a part of the day, or nothing, so that the time is also found where its
part belongs to something else.
"""
TIMES = (
    *(
        Rule(
            "range",
            rf"{at}{HOUR}時半?(?:から|-|〜|~|～)(?:午前|午後)?(?P<end_hour>2[0-4]|1[0-9]|[0-9])時半?(?:まで)?に?(?![のを])",
        )
        for at in AT_PART
    ),
    *(Rule("clock", rf"{at}{HOUR}時半{CLOCK_TAIL}", says={"half_past": "1"}) for at in AT_PART),
    *(
        Rule(
            "clock",
            rf"{at}{HOUR}時(?P<amount>[0-5]?[0-9]|[二三四五]?十[一二三四五六七八九]?)分{CLOCK_TAIL}",
        )
        for at in AT_PART
    ),
    *(Rule("clock", rf"{at}{HOUR}時(?![間代限]){CLOCK_TAIL}") for at in AT_PART),
    *(
        Rule(
            "clock",
            rf"{at}(?P<hour>2[0-3]|1[0-9]|0?[0-9]):(?P<minute>[0-5][0-9])(?![0-9:]){CLOCK_TAIL}",
        )
        for at in AT_PART
    ),
    Rule("part", rf"(?P<part>正午){CLOCK_TAIL}"),
    Rule("part", rf"(?P<part>{PART})(?!ご飯|食|礼|会|ごはん|刊){CLOCK_TAIL}", "beside"),
)
PRIORITIES = (
    *WIDE_PRIORITY,
    Rule(
        "urgent",
        r"(?:至急|緊急|大至急|最優先)(?=\s*[!！。]*\s*$)|^\s*(?:【(?:至急|緊急)】|(?:至急|大至急|緊急)(?=\s*[:!！、,])|大?至急(?![便]))",
    ),
    Rule("high", r"(?:優先度[::]?\s?高|高優先度)(?=\s*[!！。]*\s*$)"),
    Rule("low", r"(?:優先度[::]?\s?低|低優先度)(?=\s*[!！。]*\s*$)"),
    Rule("priority", r"優先度\s?[::]?\s?(?P<level>[1-4])(?![0-9])"),
)
JAPANESE = Language(
    code="ja",
    weekdays=WEEKDAYS,
    months={name: number for name, number in NUMBERS.items() if 1 <= number <= 12},
    numbers=NUMBERS,
    units=UNITS,
    parts=PARTS,
    days=DAYS | {"明": 1},
    ordinals=ORDINALS,
    rules=(*PRIORITIES, *RECURRENCE, *DATES, *TIMES),
    macros={"day_name": f"(?P<day_name>{'|'.join(DAYS)})"},
    leads=r"(?:リマインド|リマインダー|タスク|todo|やること)\s?[:：]\s*",
    spaced=False,
    signs=regex(
        "[\u3040-\u30ff々毎曜歯払込働駅円気様戻済読売続図帰変発対価検験渋拝]|会議|至急|今晩|今夜|明後日"
    ),
)
