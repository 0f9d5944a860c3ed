package io.muster.deploy.board.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.deploy.board.history.Look.Devices;
import io.muster.deploy.board.history.Look.GangState;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.lang.reflect.Array;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class HistoryTest {

  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");
  private static final long MOST_BYTES = 2_000_000;
  private static final int MOST_CHARACTERS = 100_000;

  private final History history = new History();

  private static Look look(long used, GangState... gangs) {
    return new Look(
        true, Optional.of(new Devices(40_000, used, 0, 40_000 - used, 0)), List.of(gangs));
  }

  private static GangState gang(int id, Phase phase, String reason) {
    return new GangState(id, phase, reason, Optional.of("2026-11-22T11:59:00Z"));
  }

  private static GangState waiting(int id, String reason) {
    return gang(id, Phase.WAITING, reason);
  }

  private static GangState running(int id) {
    return gang(id, Phase.RUNNING, "Satisfied");
  }

  private void take(Look look, long atSeconds) {
    history.take(Optional.of(look), NOON.plusSeconds(atSeconds));
  }

  private HistoryAnswer answer(long sinceSeconds, long nowSeconds) {
    return answer(sinceSeconds, nowSeconds, Optional.empty());
  }

  private HistoryAnswer answer(long sinceSeconds, long nowSeconds, Optional<String> step) {
    var now = NOON.plusSeconds(nowSeconds);
    var asked = HistoryRange.of(Optional.of(NOON.plusSeconds(sinceSeconds).toString()), step, now);
    return history.answer(((HistoryRange.Asked.Range) asked).range(), now, Optional.empty());
  }

  private static List<Number> used(HistoryAnswer answer) {
    return answer.columns().get("used");
  }

  @Test
  void aStepHasWhatTheLastLookInItTold() {
    take(look(1), 0);
    take(look(2), 9);
    take(look(3), 10);
    assertThat(used(answer(0, 12))).containsExactly(2L, 3L);
    assertThat(answer(0, 12).from()).isEqualTo(NOON.getEpochSecond());
    assertThat(answer(0, 12).stepSeconds()).isEqualTo(10);
  }

  @Test
  void whereNobodyLookedThereIsAGap() {
    take(look(1), 0);
    take(look(2), 60);
    history.take(Optional.empty(), NOON.plusSeconds(65));
    history.take(Optional.empty(), NOON.plusSeconds(75));
    take(look(3), 85);
    assertThat(used(answer(0, 85))).containsExactly(1L, null, null, null, null, null, 2L, null, 3L);
  }

  /** A look at a large cluster takes longer than a step. */
  @Test
  void whatWasSeenHoldsUntilALookThatComesSoon() {
    take(look(1), 0);
    take(look(2), 28);
    assertThat(used(answer(0, 30))).containsExactly(1L, 1L, 2L, null);
  }

  @Test
  void withoutAMusterGangsAreAbsentAndDevicesAreNot() {
    take(look(1, waiting(1, "NoRoom")), 0);
    history.take(
        Optional.of(new Look(false, look(5).devices(), List.of(waiting(1, "NoRoom")))),
        NOON.plusSeconds(10));
    var answer = answer(0, 10);
    assertThat(used(answer)).containsExactly(1L, 5L);
    assertThat(answer.columns().get("running")).containsExactly(0L, null);
    assertThat(answer.reasons().get("NoRoom")).containsExactly(1L, null);
  }

  @Test
  void withoutNodesThereAreGangsAlone() {
    history.take(Optional.of(new Look(true, Optional.empty(), List.of(running(1)))), NOON);
    assertThat(answer(0, 0).columns().get("devices")).containsExactly((Number) null);
    assertThat(answer(0, 0).columns().get("running")).containsExactly(1L);
  }

  @Test
  void aClockThatGoesBackTakesBackWhatIsAfterItAndNoMore() {
    for (int second = -7_200; second <= 0; second += 10) {
      take(look(7, waiting(1, "NoRoom")), second);
    }
    take(look(7, running(1)), 1);
    take(look(9), -3_600);

    assertThat(used(answer(-7_200, 0)).stream().filter(one -> one != null))
        .as("the hour before is there, and the hour after is not yet")
        .hasSize(361)
        .endsWith(7L, 9L);
    assertThat(answer(-7_200, 0).starts().started()).doesNotContain(1);
    take(look(10), -3_500);
    assertThat(used(answer(-3_600, -3_490)))
        .containsExactly(9L, null, null, null, null, null, null, null, null, null, 10L, null);
    assertThat(Instant.parse(answer(-3_600, -3_500).began()))
        .isBeforeOrEqualTo(NOON.minusSeconds(3_500));
  }

  @Test
  void aClockThatGoesForthForYearsAndBackLosesWhatItWroteOverAlone() {
    take(look(1), 0);
    take(look(2), 10 * 365 * 86_400L + 3_600);
    take(look(3), 10);
    assertThat(used(answer(0, 15))).containsExactly(1L, 3L);
  }

  @Test
  void whatIsOlderThanADayIsGone() {
    take(look(1), 0);
    take(look(2), 86_400);
    assertThat(used(answer(-200_000, 86_400)).stream().filter(one -> one != null))
        .containsExactly(2L);
  }

  @Test
  void longRangesAreMeansOfTheStepsThatAreThere() {
    for (int second = 0; second < 90; second += 10) {
      take(look(second < 30 ? 3 : 9, second == 0 ? waiting(1, "NoRoom") : running(1)), second);
    }
    var answer = answer(0, 85, Optional.of("90"));
    assertThat(answer.stepSeconds()).isEqualTo(90);
    assertThat(used(answer)).containsExactly(7L);
    assertThat(answer.reasons().get("NoRoom")).as("a ninth of the time").containsExactly(0.1);
  }

  @Test
  void aDayIsSmallHoweverMuchHappens() throws JsonProcessingException {
    var random = new Random(3);
    var gangs = new ArrayList<List<GangState>>();
    for (int variant = 0; variant < 20; variant++) {
      var some = new ArrayList<GangState>();
      for (int i = 0; i < 1_500; i++) {
        some.add(waiting(i, "Reason" + (char) ('A' + random.nextInt(12))));
      }
      gangs.add(some);
    }
    for (int second = 0; second < 86_400; second += 10) {
      var devices = new Devices(40_000, random.nextInt(40_000), 12_345, 23_456, 12_345);
      var look = new Look(true, Optional.of(devices), gangs.get(random.nextInt(gangs.size())));
      history.take(Optional.of(look), NOON.plusSeconds(second));
    }
    var answer = answer(0, 86_399);
    assertThat(used(answer)).hasSize(960).doesNotContainNull();
    assertThat(answer.reasons()).hasSize(9);
    assertThat(answer.starts().started()).hasSize(48);
    long began = System.nanoTime();
    for (int i = 0; i < 100; i++) {
      assertThat(answer(0, 86_399).version()).isEqualTo(HistoryAnswer.VERSION);
    }
    System.out.printf(
        "history: an answer of 24 h takes %,d µs%n", (System.nanoTime() - began) / 100_000);
    int length = new ObjectMapper().writeValueAsString(answer).length();
    System.out.printf("history: 24 h are %,d characters%n", length);
    assertThat(length).isLessThan(MOST_CHARACTERS);
  }

  @Test
  void gangsThatWaitedAndRunHaveStarted() {
    take(look(0, waiting(1, "NoRoom"), waiting(2, "NoRoom"), waiting(3, "NoRoom")), 0);
    take(look(0, gang(1, Phase.PLANNED, "Reserved"), waiting(2, "NoRoom"), running(9)), 5);
    take(look(0, gang(1, Phase.BINDING, "Binding"), running(2), running(9)), 30);
    take(look(0, running(1), running(2), gang(9, Phase.BROKEN, "BelowMinimum")), 60);
    take(look(0, running(1), waiting(2, "NoRoom"), running(9)), 70);
    take(look(0, running(1), running(2), running(9)), 100);

    var starts = answer(0, 100).starts();
    assertThat(starts.stepSeconds()).isEqualTo(60);
    assertThat(starts.started()).containsExactly(1, 2);
    assertThat(starts.medianWaitSeconds())
        .as("1 minute and a half; 2 minutes since its creation and 30 s since it waits again")
        .containsExactly(90, 75);
  }

  @Test
  void aGangThatWasCreatedAndStartedSinceTheLastLookHasStarted() {
    take(look(0), 0);
    var quick = new GangState(1, Phase.RUNNING, "Satisfied", Optional.of("2026-11-22T12:00:01Z"));
    take(look(0, quick, running(2)), 3);
    assertThat(answer(0, 3).starts().started()).containsExactly(1);
    assertThat(answer(0, 3).starts().medianWaitSeconds()).containsExactly(2);
  }

  @Test
  void nobodyKnowsWhenAGangStartedWhileNobodyLooked() {
    take(look(0, waiting(1, "NoRoom")), 0);
    take(look(0, running(1)), 3_600);
    assertThat(answer(0, 3_600).starts().started().stream().filter(one -> one != null))
        .containsOnly(0);
  }

  @Test
  void intervalsInWhichNobodyLookedHaveNoStarts() {
    take(look(0), 0);
    take(look(0), 300);
    assertThat(answer(0, 300).starts().started()).containsExactly(0, null, null, null, null, 0);
  }

  @Test
  void theEightMostFrequentReasonsAreToldApart() {
    var gangs = new ArrayList<GangState>();
    for (int reason = 0; reason < 30; reason++) {
      for (int i = 0; i <= reason; i++) {
        gangs.add(
            waiting(gangs.size(), "R" + (char) ('a' + reason % 26) + "x".repeat(reason / 26)));
      }
    }
    history.take(Optional.of(new Look(true, Optional.empty(), gangs)), NOON);
    var reasons = answer(0, 0).reasons();
    assertThat(reasons.keySet())
        .containsExactly("Rdx", "Rcx", "Rbx", "Rax", "Rz", "Ry", "Rx", "Rw", "other");
    assertThat(reasons.values().stream().mapToLong(each -> each.getFirst().longValue()).sum())
        .as("none is lost")
        .isEqualTo(gangs.size());
  }

  /** One code after the other, hundreds of them. */
  @Test
  void reasonsThatComeAndGoNeverDriveOutTheFrequentOnesAndNoneIsLost() {
    for (int i = 0; i < 600; i++) {
      var rare = "Rare" + "abcdefghij".charAt(i % 10) + "abcdefghij".charAt(i / 10 % 10) + "z";
      take(look(0, waiting(1, "NoRoom"), waiting(2, "Quota"), waiting(3, rare)), 10L * i);
    }
    var reasons = answer(0, 5_999).reasons();
    assertThat(reasons.keySet()).startsWith("NoRoom", "Quota").endsWith("other");
    for (int i = 0; i < 600; i++) {
      int step = i;
      assertThat(
              reasons.values().stream()
                  .filter(column -> column.get(step) != null)
                  .mapToLong(column -> column.get(step).longValue())
                  .sum())
          .isEqualTo(3);
    }
  }

  @Test
  void whatIsNoCodeIsCountedAndNotTold() {
    take(look(0, waiting(1, "team-a/secret"), waiting(2, ""), waiting(3, "x".repeat(65))), 0);
    assertThat(answer(0, 0).reasons()).containsOnlyKeys("other");
    assertThat(answer(0, 0).reasons().get("other")).containsExactly(3L);
  }

  @Test
  void allOfItTakesLessThanTwoMegabytes() {
    var gangs = IntStream.range(0, Waits.MOST + 10).mapToObj(id -> waiting(id, "NoRoom")).toList();
    history.take(Optional.of(new Look(true, look(0).devices(), gangs)), NOON);
    var begun =
        IntStream.range(0, Waits.MOST).mapToObj(HistoryTest::running).toArray(GangState[]::new);
    take(look(0, begun), 5);
    long bytes = bytes(history, Collections.newSetFromMap(new IdentityHashMap<>()));
    System.out.printf("history: %,d bytes%n", bytes);
    assertThat(bytes).isBetween(500_000L, MOST_BYTES);
    assertThat(answer(0, 5).starts().started())
        .as("more starts than are remembered are no number")
        .containsExactly((Number) null);
  }

  /** Of all arrays that are reached from it, with 100 bytes for each other object. */
  private static long bytes(Object from, Set<Object> seen) {
    if (from == null || from instanceof Enum<?> || !seen.add(from)) {
      return 0;
    }
    if (from.getClass().isArray()) {
      var part = from.getClass().getComponentType();
      long own = (long) Array.getLength(from) * width(part);
      return 16
          + own
          + (part.isPrimitive()
              ? 0
              : Arrays.stream((Object[]) from).mapToLong(each -> bytes(each, seen)).sum());
    }
    if (from instanceof Map<?, ?> map) {
      return 100 + map.values().stream().mapToLong(each -> bytes(each, seen)).sum();
    }
    if (!from.getClass().getName().startsWith("io.muster.")) {
      return 100;
    }
    return 100
        + Arrays.stream(from.getClass().getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()))
            .filter(field -> !field.getType().isPrimitive())
            .mapToLong(field -> {
              try {
                field.setAccessible(true);
                return bytes(field.get(from), seen);
              } catch (IllegalAccessException e) {
                throw new AssertionError(e);
              }
            })
            .sum();
  }

  private static int width(Class<?> part) {
    if (part == long.class || !part.isPrimitive()) {
      return Long.BYTES;
    }
    return part == char.class ? Character.BYTES : Integer.BYTES;
  }

  @Test
  void aLookEveryTwentyMillisecondsCostsNextToNothing() {
    var gangs = IntStream.range(0, 2_000).mapToObj(id -> waiting(id, "NoRoom")).toList();
    var look = new Look(true, look(1).devices(), gangs);
    var at = NOON;
    long began = System.nanoTime();
    for (int i = 0; i < 3_000; i++) {
      at = at.plusMillis(20);
      history.take(Optional.of(look), at);
    }
    var each = Duration.ofNanos(System.nanoTime() - began).dividedBy(3_000);
    System.out.printf("history: a look at 2,000 gangs %,d µs%n", each.toNanos() / 1_000);
    assertThat(each).isLessThan(Duration.ofMillis(10));
    assertThat(used(answer(0, 59))).containsExactly(1L, 1L, 1L, 1L, 1L, 1L);
  }

  @Test
  void readersAndTheWriterMayMeet() throws InterruptedException {
    var faults = Collections.synchronizedList(new ArrayList<Throwable>());
    var readers = new ArrayList<Thread>();
    for (int i = 0; i < 4; i++) {
      readers.add(
          Thread.ofVirtual()
              .start(() -> {
                try {
                  for (int round = 0; round < 100; round++) {
                    assertThat(used(answer(-86_400, 20_000)).size()).isLessThan(1_000);
                  }
                } catch (RuntimeException | AssertionError e) {
                  faults.add(e);
                }
              }));
    }
    for (int second = 0; second < 20_000; second += 7) {
      take(look(second, waiting(second, "NoRoom"), running(second - 7)), second);
    }
    for (var reader : readers) {
      reader.join();
    }
    assertThat(faults).isEmpty();
    assertThat(used(answer(0, 19_999))).doesNotContainNull();
  }
}
