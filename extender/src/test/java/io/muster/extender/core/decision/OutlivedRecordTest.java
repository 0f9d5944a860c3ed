package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import org.junit.jupiter.api.Test;

/** A Gang object that could not be deleted when its gang was forgotten, and the next gang. */
final class OutlivedRecordTest extends ProtocolScenes {

  private GangRecord refused() {
    nodes("n0", "n1");
    lead(false);
    var pods = members("nightly", 2, 2);
    bind(1, pods.getFirst(), placeOf(pods.getFirst(), "n0", "n1"));
    return record(bind(2, pods.getLast(), placeOf(pods.getLast(), "n0", "n1")));
  }

  /** The next one, after the answers to the first. */
  private GangRecord next(GangRecord refused, long storedIncarnation, long storedEpoch) {
    on(new Event.RecordAhead(refused.gang(), storedIncarnation, storedEpoch));
    on(new Event.RecordWritten(refused.gang(), refused.epoch(), false));
    return record(after(10));
  }

  @Test
  void theGangIsTheLifeAfterTheOneThatIsStored() {
    var refused = refused();

    assertThat(refused.incarnation()).isEqualTo(1);
    assertThat(next(refused, 2, 5).incarnation()).isEqualTo(3);
  }

  @Test
  void anOlderStateOfItsOwnChangesNothing() {
    var refused = refused();

    assertThat(next(refused, 1, refused.epoch()).incarnation()).isEqualTo(1);
  }
}
