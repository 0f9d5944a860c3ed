package io.muster.extender.kube.gang;

import io.muster.extender.core.gang.GangId;
import java.util.List;
import java.util.regex.Pattern;

/** The names that a gang's object may have. Stateless; safe for concurrent use. */
public final class GangObjectNames {

  private static final int LONGEST = 253;
  private static final Pattern SUBDOMAIN =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  private GangObjectNames() {}

  /**
   * Object names in the order to try: the gang's own name if an object may bear it, then one that
   * no gang of another dialect shares.
   */
  public static List<String> candidates(GangId gang) {
    var certain = gang.objectName(LONGEST);
    return gang.name().length() <= LONGEST && SUBDOMAIN.matcher(gang.name()).matches()
        ? List.of(gang.name(), certain)
        : List.of(certain);
  }
}
