/// What `hato help` prints.
enum HelpText {
    static let text = """
        hato: a home for chat apps; stores objects, signs users in, relays messages.

          hato serve                      start the server (makes an application on first start)
          hato app create NAME            make an application
              [--application-key K] [--client-key K] [--relay-key K] [--relay-secret S] [--json]
          hato app list [--json]          show the applications and their keys
          hato app set [NAME]             change an application
              [--require-signature on|off] [--hide-unreadable on|off] [--anonymous on|off]
              [--timestamp-window SECONDS, 0 is off] [--session-lifetime SECONDS]
              [--auto-index on|off] [--demo on|off: the page at / is its chat]
              [--relay-auth private|all]
              [--relay-connections N] [--relay-channels N] [--relay-messages N a second; 0 is off]
          hato class set CLASS            change a class
              [--relay off|flat|events] [--default-acl public|owner] [--app NAME]
              [--index FIELD …] [--no-index FIELD …]
          hato class list [--json]        show the classes and how many objects they have
          hato class show CLASS [--json]  show a class: fields, types, indexes, slow filters
          hato check                      compare what the store keeps twice; 1 when anything is wrong
          hato config                     print every setting with its value and its source
          hato health                     ask the server that these settings name; exit 0 when it is well
          hato version

        All take --data DIR (default: data) and --config FILE. serve, config and health take every
        setting as a flag, as HATO_NAME in the environment, and as a member of the JSON file;
        flags win, then the environment, then the file. hato config lists them.
        Exit codes: 0 fine, 1 failed, 2 wrong usage.

        """
}
