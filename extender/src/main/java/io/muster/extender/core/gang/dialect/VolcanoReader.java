package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.TermsObject;
import java.util.List;
import java.util.Optional;

/**
 * Volcano: an annotation names the PodGroup, in which the terms stand; the task that the pod is of
 * is its role.
 */
public final class VolcanoReader implements MarkingReader {

  static final String GROUP_NAME = "scheduling.k8s.io/group-name";
  static final String GROUP_NAME_ALIAS = "scheduling.volcano.sh/group-name";
  static final String TASK = "volcano.sh/task-spec";
  private static final String TASK_INDEX = "volcano.sh/task-index";
  private static final String DEFAULT_TASK = "default";

  @Override
  public Dialect dialect() {
    return Dialect.VOLCANO;
  }

  @Override
  public Optional<Membership> read(Markings markings) {
    var name = Stated.in(markings.annotations(), GROUP_NAME, GROUP_NAME_ALIAS);
    if (!name.isFilled()) {
      return Optional.empty();
    }
    return Optional.of(
        new MembershipReading(markings, Dialect.VOLCANO, name)
            .readFrom(
                TermsObject.Kind.VOLCANO_POD_GROUP,
                beside(markings, TASK).value().orElse(DEFAULT_TASK),
                beside(markings, TASK_INDEX)));
  }

  /** Annotation before label. */
  private static Stated beside(Markings markings, String key) {
    return Stated.firstOf(
        List.of(Stated.in(markings.annotations(), key), Stated.in(markings.labels(), key)));
  }
}
