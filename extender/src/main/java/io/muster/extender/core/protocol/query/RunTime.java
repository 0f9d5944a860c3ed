package io.muster.extender.core.protocol.query;

import java.time.Duration;

/** How long something runs, and who says so. Immutable. */
public record RunTime(Duration time, Source source) {

  /** Who says so. */
  public enum Source {
    /** Its pods. */
    STATED("which states that it runs %s"),
    /** Gangs of its name that have ended. */
    LEARNED("since gangs of its name have run for %s"),
    /** Its queue, for all that state nothing. */
    QUEUE("since its queue says that gangs run for %s"),
    /** Nobody, so it is guessed from others. */
    ASSUMED("which is taken to run %s, as nobody says how long it does"),
    /** It is ended then. */
    LIMIT("whose run-time limit is %s"),
    /** It has been told to end. */
    ENDING("which is being deleted"),
    /** It will be told to end, for a gang that comes before it or with the rest of its own. */
    TO_BE_ENDED("which Muster will end by then");

    private final String words;

    Source(String words) {
      this.words = words;
    }
  }

  /** The same for users. */
  public String sentence() {
    return source.words.formatted(words(time));
  }

  /** In one unit or two: 90m, 26h, 3d4h. */
  private static String words(Duration time) {
    if (time.toHours() >= 48) {
      return time.toDays() + "d" + (time.toHoursPart() == 0 ? "" : time.toHoursPart() + "h");
    }
    if (time.toMinutes() >= 120) {
      return time.toHours() + "h" + (time.toMinutesPart() == 0 ? "" : time.toMinutesPart() + "m");
    }
    return time.toSeconds() >= 120 ? time.toMinutes() + "m" : Math.max(1, time.toSeconds()) + "s";
  }
}
