package io.muster.deploy.board.history;

import io.muster.extender.core.protocol.GangRecord.Phase;
import java.util.List;
import java.util.Optional;

/**
 * What one look at a cluster tells of it. Immutable.
 *
 * @param isLed whether a Muster is running, in whose words gangs are told of
 * @param devices empty where nodes cannot be seen
 */
public record Look(boolean isLed, Optional<Devices> devices, List<GangState> gangs) {

  /** Devices of every name. */
  public record Devices(long all, long used, long kept, long free, long stranded) {}

  /**
   * A gang.
   *
   * @param id never that of another one
   * @param reason its code
   * @param since when it was created, in RFC 3339
   */
  public record GangState(int id, Phase phase, String reason, Optional<String> since) {}

  public Look {
    gangs = List.copyOf(gangs);
  }
}
