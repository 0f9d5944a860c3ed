package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.api.Condition;
import io.muster.extender.core.protocol.query.Prospect;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a job that is held back says of its start. */
final class WouldStartTest {

  private Optional<Prospect> prospect = Optional.empty();
  private final WouldStart wouldStart = new WouldStart(_ -> prospect);

  private List<Condition> told(List<Condition> before, int second, boolean isHeldBack) {
    var conditions = new Conditions(before, Instant.ofEpochSecond(second));
    wouldStart.tell(conditions, isHeldBack ? Optional.of(List::of) : Optional.empty());
    return conditions.list();
  }

  @Test
  void itFollowsTheRoomWithTheTimeOfTheLastTurn() {
    prospect = Optional.of(new Prospect(false, "no room: 2 Insufficient nvidia.com/gpu"));
    var first = told(List.of(), 1, true);
    assertThat(first)
        .containsExactly(
            new Condition(
                "WouldStart",
                "False",
                "NoRoom",
                "no room: 2 Insufficient nvidia.com/gpu",
                "1970-01-01T00:00:01Z",
                "1970-01-01T00:00:01Z"));
    assertThat(told(first, 2, true)).isEqualTo(first);

    prospect = Optional.of(new Prospect(false, "no room: 1 Insufficient nvidia.com/gpu"));
    var second = told(first, 3, true);
    assertThat(second)
        .singleElement()
        .satisfies(condition -> {
          assertThat(condition.message()).startsWith("no room: 1 ");
          assertThat(condition.lastUpdateTime()).isEqualTo("1970-01-01T00:00:03Z");
          assertThat(condition.lastTransitionTime()).isEqualTo("1970-01-01T00:00:01Z");
        });

    prospect = Optional.of(new Prospect(false, "Quota", "queue \"a\" may hold 2 devices"));
    assertThat(told(second, 3, true))
        .singleElement()
        .satisfies(condition -> assertThat(condition.reason()).isEqualTo("Quota"));

    prospect = Optional.of(new Prospect(true, "there is room"));
    assertThat(told(second, 4, true))
        .singleElement()
        .satisfies(condition -> {
          assertThat(condition.status()).isEqualTo("True");
          assertThat(condition.lastTransitionTime()).isEqualTo("1970-01-01T00:00:04Z");
        });
  }

  @Test
  void itStaysWhileNobodyCanTellAndGoesWhenTheJobIsLetGo() {
    prospect = Optional.of(new Prospect(true, "there is room"));
    var said = told(List.of(), 1, true);
    prospect = Optional.empty();
    assertThat(told(said, 2, true)).isEqualTo(said);
    assertThat(told(said, 3, false)).isEmpty();
  }
}
