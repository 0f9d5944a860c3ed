package io.muster.extender.kube.write;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.kube.Sentences;
import io.muster.extender.port.WriteMeter.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * Logs writes that failed: a line a second for each kind at most, with how many were left out since
 * the last. An API server that is away fails thousands of them. Safe for concurrent use.
 */
public final class WriteFailures {

  private static final Duration APART = Duration.ofSeconds(1);

  private final Logger log;
  private final InstantSource clock;
  private final Map<Kind, Line> last = new EnumMap<>(Kind.class);

  private record Line(Instant at, int leftOut) {}

  WriteFailures(Logger log, InstantSource clock) {
    this.log = log;
    this.clock = clock;
  }

  /**
   * @param subject a pod or a gang
   */
  void add(Kind kind, Object subject, String message) {
    leftOut(kind)
        .ifPresent(leftOut -> {
          var line =
              log.atWarn()
                  .addKeyValue("write", kind)
                  .addKeyValue(subject instanceof PodKey ? "pod" : "gang", subject)
                  .addKeyValue("message", Sentences.cut(message));
          (leftOut == 0 ? line : line.addKeyValue("leftOut", leftOut))
              .log("a write to the apiserver failed");
        });
  }

  /** How many were left out, if it is time for another line. */
  private synchronized Optional<Integer> leftOut(Kind kind) {
    var now = clock.instant();
    var line = Optional.ofNullable(last.get(kind));
    if (line.filter(found -> now.isBefore(found.at().plus(APART))).isPresent()) {
      last.put(kind, new Line(line.get().at(), line.get().leftOut() + 1));
      return Optional.empty();
    }
    last.put(kind, new Line(now, 0));
    return Optional.of(line.map(Line::leftOut).orElse(0));
  }
}
