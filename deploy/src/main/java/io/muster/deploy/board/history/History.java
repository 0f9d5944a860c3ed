package io.muster.deploy.board.history;

import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * What the board has shown in the last 24 h: levels at steps of 10 s, waiting gangs by reason, and
 * how long those waited that have started. Numbers alone, in less than 2 MB. Safe for concurrent
 * use.
 *
 * <p>A step has what the last look in it told. What was seen holds until the next look if that
 * comes within 30 s, for looks at large clusters take longer than a step; a step without either is
 * absent, and nothing is ever put in its place. Gangs are absent also while no Muster runs. Where
 * the clock goes back, what is after it has not been.
 */
public final class History {

  private static final Duration HOLDS = Duration.ofSeconds(30);

  /** Reasons that are told apart in an answer. */
  private static final int MOST_REASONS = 8;

  private static final String OTHER_REASONS = "other";
  private static final double TENTHS = 10;

  private final Steps steps = new Steps();
  private final ReasonSlots reasons = new ReasonSlots(steps);
  private final Starts starts = new Starts();
  private final Waits waits = new Waits();
  private Optional<Instant> began = Optional.empty();

  /** When there was one, unless nothing could be seen since. */
  private Optional<Instant> lastLook = Optional.empty();

  private long lastStep = Long.MIN_VALUE;

  /**
   * Takes in what was seen.
   *
   * @param look empty: nothing could be
   */
  public synchronized void take(Optional<Look> look, Instant at) {
    long step = Steps.of(at);
    if (step < lastStep) {
      steps.forgetAfter(step);
      starts.forgetAfter(step);
      began = began.filter(first -> first.isBefore(at)).or(() -> Optional.of(at));
      lastLook = Optional.empty();
    }
    lastStep = step;
    look.ifPresent(seen -> {
      hold(step, at);
      write(seen, step, at);
      began = began.or(() -> Optional.of(at));
    });
    lastLook = look.map(_ -> at);
  }

  private void hold(long until, Instant at) {
    lastLook
        .filter(before -> !at.isAfter(before.plus(HOLDS)))
        .map(Steps::of)
        .ifPresent(from -> {
          for (long step = from + 1; step < until; step++) {
            steps.copy(from, step);
          }
        });
  }

  private void write(Look look, long step, Instant at) {
    var levels = new EnumMap<Level, Long>(Level.class);
    look.devices()
        .ifPresent(devices -> {
          levels.put(Level.DEVICES, devices.all());
          levels.put(Level.USED, devices.used());
          levels.put(Level.KEPT, devices.kept());
          levels.put(Level.FREE, devices.free());
          levels.put(Level.STRANDED, devices.stranded());
        });
    if (look.isLed()) {
      levels.put(Level.RUNNING, count(look, Phase.RUNNING));
    }
    steps.write(step, levels, look.isLed() ? waiting(look, step) : new int[ReasonSlots.COUNT]);
    if (look.isLed()) {
      for (int seconds : waits.started(look.gangs(), at)) {
        starts.add(step, seconds);
      }
    }
  }

  private static long count(Look look, Phase phase) {
    return look.gangs().stream().filter(gang -> gang.phase() == phase).count();
  }

  private int[] waiting(Look look, long step) {
    var byReason = new HashMap<String, Integer>();
    for (var gang : look.gangs()) {
      if (gang.phase() == Phase.WAITING) {
        byReason.merge(gang.reason(), 1, Integer::sum);
      }
    }
    return reasons.slots(byReason, step);
  }

  /** What is known of that range now. */
  synchronized HistoryAnswer answer(HistoryRange range, Instant now, Optional<String> grafana) {
    long last = Steps.of(now);
    long first = Math.max(range.firstStep(), steps.oldest(last));
    int width = range.width();
    long from = Math.floorDiv(first, width) * width;
    int points = first > last ? 0 : (int) ((last - from) / width) + 1;
    var places = steps.places(from, points * width);
    var columns = new LinkedHashMap<String, List<Number>>();
    for (var level : Level.values()) {
      columns.put(level.column(), means(places, width, steps.at(level)));
    }
    return new HistoryAnswer(
        HistoryAnswer.VERSION,
        width * Steps.SECONDS,
        from * Steps.SECONDS,
        now.toString(),
        began.map(Instant::toString).orElse(null),
        columns,
        reasons(places, width, last),
        starts(from, last, points == 0 ? 0 : range.startsWidth()),
        grafana.orElse(null));
  }

  /** The most frequent of the last 24 h, so that each answer of a while has the same. */
  private Map<String, List<Number>> reasons(int[] places, int width, long last) {
    record Sum(int slot, long gangs) {}
    var told =
        IntStream.range(0, ReasonSlots.OTHER)
            .mapToObj(slot -> new Sum(slot, steps.sum(slot, last)))
            .filter(sum -> sum.gangs > 0)
            .sorted(Comparator.comparingLong(Sum::gangs).reversed())
            .map(Sum::slot)
            .limit(MOST_REASONS)
            .toList();
    var columns = new LinkedHashMap<String, List<Number>>();
    for (int slot : told) {
      columns.put(reasons.code(slot).orElse(OTHER_REASONS), means(places, width, steps.at(slot)));
    }
    var others =
        IntStream.range(0, ReasonSlots.COUNT).filter(slot -> !told.contains(slot)).toArray();
    if (IntStream.of(others).anyMatch(slot -> steps.sum(slot, last) > 0)) {
      columns.put(OTHER_REASONS, means(places, width, steps.at(others)));
    }
    return columns;
  }

  /** Of the steps that are there; null where none is. */
  private static List<Number> means(int[] places, int width, IntUnaryOperator value) {
    var means = new ArrayList<Number>(places.length / width);
    for (int begin = 0; begin < places.length; begin += width) {
      long sum = 0;
      int there = 0;
      for (int i = begin; i < begin + width; i++) {
        int one = places[i] == Level.ABSENT ? Level.ABSENT : value.applyAsInt(places[i]);
        if (one != Level.ABSENT) {
          sum += one;
          there++;
        }
      }
      means.add(there == 0 ? null : mean(sum, there));
    }
    return Collections.unmodifiableList(means);
  }

  /** With one decimal below 10, so that what was for a part of a step is more than nothing. */
  private static Number mean(long sum, int steps) {
    long tenths = Math.round(sum * TENTHS / steps);
    return tenths < TENTHS * TENTHS && tenths % (long) TENTHS != 0
        ? tenths / TENTHS
        : (Number) Math.round((double) sum / steps);
  }

  /**
   * @param width in steps; 0: nothing is known
   */
  private HistoryAnswer.StartsPart starts(long since, long last, int width) {
    var counts = new ArrayList<Number>();
    var medians = new ArrayList<Number>();
    long from = width == 0 ? since : Math.floorDiv(since, width) * width;
    for (long step = from; width > 0 && step <= last; step += width) {
      if (isKnown(step, Math.min(step + width - 1, last))) {
        var ended = starts.waits(step, step + width);
        counts.add(ended.length);
        var median = Starts.median(ended);
        medians.add(median.isPresent() ? median.getAsInt() : null);
      } else {
        counts.add(null);
        medians.add(null);
      }
    }
    return new HistoryAnswer.StartsPart(
        width * Steps.SECONDS,
        from * Steps.SECONDS,
        Collections.unmodifiableList(counts),
        Collections.unmodifiableList(medians));
  }

  private boolean isKnown(long from, long to) {
    if (!starts.knowsSince(from)) {
      return false;
    }
    for (long step = from; step <= to; step++) {
      if (steps.knowsGangs(step)) {
        return true;
      }
    }
    return false;
  }
}
