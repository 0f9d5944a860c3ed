package io.muster.controller.port;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;

/** How gangs are written where sizes of jobs are decided: {@code dialect:namespace/name}. */
public final class GangNames {

  private GangNames() {}

  /** That gang, written. */
  public static String of(GangId gang) {
    return gang.dialect() + ":" + gang;
  }

  /** The gang that is written so. */
  public static GangId read(String written) {
    int colon = written.indexOf(':');
    int slash = written.indexOf('/');
    return new GangId(
        Dialect.valueOf(written.substring(0, colon)),
        written.substring(colon + 1, slash),
        written.substring(slash + 1));
  }
}
