package io.muster.extender.kube.write;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.port.Delays;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Deletes something of each gang that has ended: what cannot be deleted is tried again until it is
 * gone or is wanted again. Nobody else would, and it would stay. Safe for concurrent use.
 */
final class Deletions {

  private static final Pause FIRST_PAUSE = new Pause(Duration.ofMillis(200), Duration.ofMinutes(5));

  private final Predicate<GangId> deletion;
  private final Lanes<GangId> lanes;
  private final Delays delays;

  /** Gangs of which it is to go, and has not been wanted again since. */
  private final Set<GangId> unwanted = ConcurrentHashMap.newKeySet();

  /**
   * @param deletion says whether it has failed, and may succeed later
   */
  Deletions(Predicate<GangId> deletion, Lanes<GangId> lanes, Delays delays) {
    this.deletion = deletion;
    this.lanes = lanes;
    this.delays = delays;
  }

  /** Deletes it once, also where it is wanted again at once: it is to be made anew then. */
  void begin(GangId gang) {
    unwanted.add(gang);
    lanes.submit(gang, () -> delete(gang, FIRST_PAUSE));
  }

  /** It is wanted again: what is left of it stays. */
  void end(GangId gang) {
    unwanted.remove(gang);
  }

  private void delete(GangId gang, Pause pause) {
    if (!deletion.test(gang)) {
      unwanted.remove(gang);
    } else if (unwanted.contains(gang)) {
      delays.after(
          pause.length(), () -> lanes.submit(gang, () -> deleteAgain(gang, pause.longer())));
    }
  }

  private void deleteAgain(GangId gang, Pause pause) {
    if (unwanted.contains(gang)) {
      delete(gang, pause);
    }
  }
}
