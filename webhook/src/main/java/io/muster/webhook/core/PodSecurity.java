package io.muster.webhook.core;

import io.muster.webhook.core.Injectable.Sort;
import io.muster.webhook.core.profile.Profile;
import io.muster.webhook.core.profile.ProfileRules;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a namespace admits the capabilities that profiles add, by its Pod Security level. Asked
 * before the apiserver does, which would blame the user. Stateless.
 */
final class PodSecurity {

  static final String LEVEL = "pod-security.kubernetes.io/enforce";

  private static final Set<String> BASELINE =
      Set.of(
          "AUDIT_WRITE",
          "CHOWN",
          "DAC_OVERRIDE",
          "FOWNER",
          "FSETID",
          "KILL",
          "MKNOD",
          "NET_BIND_SERVICE",
          "SETFCAP",
          "SETGID",
          "SETPCAP",
          "SETUID",
          "SYS_CHROOT");
  private static final Set<String> RESTRICTED = Set.of("NET_BIND_SERVICE");

  private PodSecurity() {}

  /** The first profile whose capabilities are forbidden. */
  private static Optional<String> forbidden(Profile profile, String level) {
    return profile.containers().capabilities().stream()
        .sorted()
        .filter(capability -> !isAdmitted(capability, level))
        .findFirst();
  }

  private static boolean isAdmitted(String capability, String level) {
    return switch (level) {
      case "baseline" -> BASELINE.contains(capability);
      case "restricted" -> RESTRICTED.contains(capability);
      default -> true;
    };
  }

  /** The rules without the optional profiles that the namespace forbids, which is warned about. */
  static ProfileRules admitted(ProfileRules rules, Map<String, String> namespaceLabels) {
    var level = namespaceLabels.getOrDefault(LEVEL, "");
    return rules.without(profile ->
        profile.optional()
            ? forbidden(profile, level).map(c -> leftOut(profile, c, level))
            : Optional.empty());
  }

  private static String leftOut(Profile profile, String capability, String level) {
    return "profile \"%s\" is left out: its capability %s is forbidden here (%s: %s)"
        .formatted(profile.name(), capability, LEVEL, level);
  }

  /** Why the pod would be refused with what its profiles add. */
  static Optional<String> problem(Draft draft, Map<String, String> namespaceLabels) {
    var level = namespaceLabels.getOrDefault(LEVEL, "");
    if (draft.containers(Sort.DEVICE).isEmpty()) {
      return Optional.empty();
    }
    return draft.overlay().profiles().stream()
        .flatMap(profile ->
            forbidden(profile, level)
                .map(capability ->
                    "profile \"%s\" adds capability %s, which namespace \"%s\" forbids (%s: %s); use a privileged namespace or leave the profile out"
                        .formatted(
                            profile.name(),
                            capability,
                            draft.facts().markings().namespace(),
                            LEVEL,
                            level))
                .stream())
        .findFirst();
  }
}
