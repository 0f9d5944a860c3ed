package io.muster.deploy.board.history;

import java.util.Locale;

/** What is kept of each step, beside gangs by reason. */
enum Level {
  DEVICES,
  USED,
  KEPT,
  FREE,
  STRANDED,
  RUNNING;

  /** In place of a number that is not known. */
  static final int ABSENT = -1;

  String column() {
    return name().toLowerCase(Locale.ROOT);
  }
}
