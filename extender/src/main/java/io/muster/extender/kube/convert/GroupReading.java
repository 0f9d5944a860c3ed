package io.muster.extender.kube.convert;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.TermsObject;
import java.util.Map;
import java.util.Optional;

/** Which group of the cluster's own gang scheduling a pod is in, and whose that is. */
final class GroupReading {

  /** What Kubernetes 1.35 had in the place of schedulingGroup. */
  private static final String WORKLOAD_REF = "workloadRef";

  private static final String GROUP_NAME = "spec.schedulingGroup.podGroupName";

  private GroupReading() {}

  /** The one that the pod names. */
  static Optional<NativeGroup> named(String namespace, PodSpec spec) {
    if (spec.getSchedulingGroup() != null) {
      return Optional.ofNullable(spec.getSchedulingGroup().getPodGroupName())
          .filter(name -> !name.isEmpty())
          .map(name ->
              new NativeGroup(
                  name, new TermsObject(TermsObject.Kind.NATIVE_POD_GROUP, namespace, name)));
    }
    if (spec.getAdditionalProperties().get(WORKLOAD_REF) instanceof Map<?, ?> reference) {
      var group = reference.get("name") + "/" + reference.get("podGroup");
      var replica = reference.get("podGroupReplicaKey");
      return Optional.of(
          new NativeGroup(
              replica == null ? group : group + "/" + replica,
              new TermsObject(TermsObject.Kind.NATIVE_WORKLOAD, namespace, group)));
    }
    return Optional.empty();
  }

  /** A member is in its own gang's PodGroup if that has the name that follows from the gang's. */
  static Pod.Grouping grouping(Markings markings, PodSpec spec, Optional<Membership> member) {
    if (!isNativeGang(spec)) {
      return Pod.Grouping.NONE;
    }
    if (member.isEmpty()) {
      return Pod.Grouping.OTHER;
    }
    if (markings.nativeGroup().filter(NativeGroup::isMusters).isPresent()) {
      return isMisplaced(member.get(), markings) ? Pod.Grouping.NONE : Pod.Grouping.OWN;
    }
    return member.get().gang().dialect() == Dialect.NATIVE
        ? Pod.Grouping.QUEUED
        : Pod.Grouping.OTHER;
  }

  private static boolean isMisplaced(Membership member, Markings markings) {
    return markings
        .nativeGroup()
        .filter(NativeGroup::isMusters)
        .filter(group -> !group.name().equals(NativeGroup.nameOf(member.gang())))
        .isPresent();
  }

  /** A copied manifest may put a member into the PodGroup that Muster makes for another gang. */
  static Membership checked(Membership member, Markings markings) {
    if (!isMisplaced(member, markings)) {
      return member;
    }
    var name = markings.nativeGroup().orElseThrow().name();
    return member.unplaceable(
        GROUP_NAME,
        name,
        ("%s is \"%s\", the PodGroup that Muster makes for another gang; leave"
                + " spec.schedulingGroup out, Muster writes it")
            .formatted(GROUP_NAME, Stated.legible(name)));
  }

  /** The field that Kubernetes 1.36 reads, or the one that 1.35 read. */
  private static boolean isNativeGang(PodSpec spec) {
    return spec.getSchedulingGroup() != null
        || spec.getAdditionalProperties().get(WORKLOAD_REF) != null;
  }
}
