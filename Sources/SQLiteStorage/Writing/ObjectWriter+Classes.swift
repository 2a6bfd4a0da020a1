import HatoWire
import ObjectModel
import SQLStorage

/// Classes and their settings.
extension ObjectWriter {
    func configure(_ className: ClassName, _ settings: ClassSettings) throws -> Outcome {
        var record = try existingOrNewClass(className)
        record.settings = settings
        let update = statements.updateClass
        update.bind(1, record.rows.classNumber)
        update.bind(2, Text(settings.relay.rawValue))
        update.bind(3, Text(settings.defaultACL.rawValue))
        try update.run()
        state.directory.set(record, for: className)
        return .done
    }

    /// Returns the class, made now if this is its first object.
    func existingOrNewClass(_ className: ClassName) throws -> ClassRecord {
        if let record = state.directory[className] { return record }
        let settings = ClassSettings()
        let record = try state.directory.add(className, settings)
        let insert = statements.insertClass
        insert.bind(1, record.rows.classNumber)
        insert.bind(2, className.text)
        insert.bind(3, Text(settings.relay.rawValue))
        insert.bind(4, Text(settings.defaultACL.rawValue))
        try insert.run()
        return record
    }
}
