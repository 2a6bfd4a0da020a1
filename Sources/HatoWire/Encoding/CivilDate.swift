/// A date of the proleptic Gregorian calendar.
///
/// The algorithms are Howard Hinnant's (http://howardhinnant.github.io/date_algorithms.html): eras of
/// 400 years that begin in March.
struct CivilDate {
    var year: Int
    /// 1…12.
    var month: Int
    /// 1…31.
    var day: Int
}

extension CivilDate {
    /// Days from 0000-03-01 to 1970-01-01.
    private static let epoch = 719_468
    private static let daysOfEra = 146_097

    /// Takes a day of at most some 10^15 to either side, which every moment in milliseconds is.
    init(daysSinceEpoch days: Int) {
        let shifted = days + CivilDate.epoch
        let era =
            (shifted >= 0 ? shifted : shifted - (CivilDate.daysOfEra - 1)) / CivilDate.daysOfEra
        let dayOfEra = shifted - era * CivilDate.daysOfEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        self.month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The date's day; of a date with a year of at most some 10^15.
    var daysSinceEpoch: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * CivilDate.daysOfEra + dayOfEra - CivilDate.epoch
    }

    /// Whether there is such a day.
    var isReal: Bool {
        let dayCount =
            switch month {
            case 4, 6, 9, 11: 30
            case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
            default: 31
            }
        return (1...12).contains(month) && (1...dayCount).contains(day)
    }
}
