package io.muster.webhook.core.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What one pod gets. Immutable.
 *
 * @param problems why profiles that the pod names do not apply
 */
public record ProfileRules(Overlay overlay, List<String> problems) {

  public ProfileRules {
    problems = List.copyOf(problems);
  }

  /** The same without those profiles for which there is a reason, which becomes a problem. */
  public ProfileRules without(Function<Profile, Optional<String>> reason) {
    var left = new ArrayList<Profile>();
    var reasons = new ArrayList<>(problems);
    for (var profile : overlay.profiles()) {
      reason.apply(profile).ifPresentOrElse(reasons::add, () -> left.add(profile));
    }
    return left.size() == overlay.profiles().size()
        ? this
        : new ProfileRules(Overlay.of(left), reasons);
  }
}
