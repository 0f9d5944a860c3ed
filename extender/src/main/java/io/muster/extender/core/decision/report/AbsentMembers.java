package io.muster.extender.core.decision.report;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.member.Members;
import io.muster.extender.core.decision.state.GangState;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What is said where fewer members are there than the gang needs. Stateless. */
final class AbsentMembers {

  private static final int GATES_NAMED = 3;

  private AbsentMembers() {}

  /** What is so. */
  static String message(GangState gang, int bound) {
    var deleted = deleted(gang);
    return counted(gang, bound)
        + switch (deleted.size()) {
          case 0 -> "";
          case 1 -> "; %s is being deleted".formatted(first(deleted));
          default ->
              "; %s and %d more are being deleted".formatted(first(deleted), deleted.size() - 1);
        };
  }

  /** What would change it. */
  static String remedy(GangState gang) {
    var held = deleted(gang).stream().filter(pod -> !pod.isBound()).toList();
    return held.isEmpty()
        ? more(gang)
        : ("see metadata.finalizers of pod %s: while one is there the pod stays, and no other can"
                    + " have its name; else ")
                .formatted(first(held))
            + more(gang);
  }

  /** Nobody waits for those that end, but they keep their names until they have gone. */
  private static List<Pod> deleted(GangState gang) {
    return gang.members.all().stream()
        .filter(pod -> pod.progress().deleting())
        .sorted(Members.ORDER)
        .toList();
  }

  private static String first(List<Pod> pods) {
    return pods.getFirst().key().name();
  }

  /** Which gates of others hold members back, and which members: they are there all the same. */
  static String gates(GangState gang) {
    var held = held(gang);
    var gates =
        held.stream()
            .flatMap(pod -> pod.progress().gates().stream())
            .filter(gate -> !gate.equals(Pod.GATE))
            .distinct()
            .sorted()
            .toList();
    int more = gates.size() - GATES_NAMED;
    return "%s%s on %s%s"
        .formatted(
            gates.stream().limit(GATES_NAMED).collect(Collectors.joining(", ")),
            more > 0 ? " and %d more".formatted(more) : "",
            first(held),
            held.size() == 1 ? "" : " and %d more".formatted(held.size() - 1));
  }

  private static List<Pod> held(GangState gang) {
    return gang.members.live().stream()
        .filter(pod -> !pod.isBound() && pod.isGatedByOthers() && !gang.deferred.includes(pod))
        .sorted(Members.ORDER)
        .toList();
  }

  private static String counted(GangState gang, int bound) {
    var held = held(gang);
    int here =
        (int) gang.candidates().stream().filter(pod -> !gang.deferred.includes(pod)).count()
            + held.size()
            + bound;
    return here < gang.terms.minAvailable()
        ? "%d of %d members exist%s"
            .formatted(
                here,
                gang.terms.minAvailable(),
                held.isEmpty()
                    ? ""
                    : "; scheduling gates of others hold %d of them back: %s"
                        .formatted(held.size(), gates(gang)))
        : "members of some roles are missing: %d of the %d members needed are there"
            .formatted(gang.counts.chosen().size(), gang.counts.needed());
  }

  private static String more(GangState gang) {
    return otherMinimum(gang)
        .map(other ->
            "delete the pods that state a minimum of %d, so that %d holds"
                .formatted(gang.terms.minAvailable(), other))
        .orElseGet(() ->
            areMadeByNobody(gang)
                ? "create the missing pods, or create all of them again with a smaller minimum"
                : parallelism(gang));
  }

  /** Whether nobody but whoever has created them makes members anew. */
  static boolean areMadeByNobody(GangState gang) {
    return gang.members.live().stream().noneMatch(Pod::isMadeAnew);
  }

  private static String parallelism(GangState gang) {
    return ("see the events of the owner of the pods: a ResourceQuota may be used up, a Job may"
            + " have given an index up; a Job needs a parallelism of at least %d, a StatefulSet"
            + " podManagementPolicy: Parallel")
        .formatted(gang.terms.minAvailable());
  }

  static Optional<Integer> otherMinimum(GangState gang) {
    return gang.terms.others().minimum(gang.members::live);
  }
}
