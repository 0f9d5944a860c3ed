package io.muster.extender.core.decision.burst;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.GangRecord.Place;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which answers to a write of the record count. */
final class BindingRecordTest {

  private final BindingRecord record = new BindingRecord();

  @Test
  void theAnswerToTheLastWriteCountsAndItCountsOnce() {
    record.enter(aPod("g-0").build(), "n0");
    record.sent();
    record.sent();
    assertThat(record.answered(1, true)).as("an earlier one").isFalse();
    assertThat(record.isStored()).isFalse();
    assertThat(record.answered(2, true)).isTrue();
    assertThat(record.isStored()).isTrue();
    assertThat(record.answered(2, false)).as("again").isFalse();
    assertThat(record.isStored()).isTrue();
  }

  @Test
  void whatIsWrittenAgainIsNotStoredUntilThatIsAnswered() {
    record.sent();
    record.answered(1, true);
    record.sent();
    assertThat(record.isPending()).isTrue();
    assertThat(record.isStored()).isFalse();
    record.answered(2, false);
    assertThat(record.isPending()).isFalse();
    assertThat(record.isStored()).isFalse();
  }

  @Test
  void noAnswerCountsOnceItIsAbandoned() {
    record.enter(aPod("g-0").build(), "n0");
    record.sent();
    record.abandon();
    assertThat(record.isEmpty()).isTrue();
    assertThat(record.answered(1, true)).isFalse();
    assertThat(record.isStored()).isFalse();
  }

  @Test
  void epochsGoOnFromWhatWasFoundStored() {
    record.find(7);
    record.find(Map.of("uid-g-0", new Place("g-0", "n0")));
    record.trust();
    assertThat(record.isStored()).isTrue();
    record.sent();
    assertThat(record.epoch()).isEqualTo(8);
    assertThat(record.node("uid-g-0")).contains("n0");
  }
}
