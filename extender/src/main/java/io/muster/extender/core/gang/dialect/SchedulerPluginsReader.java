package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.TermsObject;
import java.util.Optional;

/**
 * The coscheduling plugin of kubernetes-sigs/scheduler-plugins: a label names the PodGroup, in
 * which the terms stand.
 */
public final class SchedulerPluginsReader implements MarkingReader {

  static final String POD_GROUP = "scheduling.x-k8s.io/pod-group";

  @Override
  public Dialect dialect() {
    return Dialect.SCHEDULER_PLUGINS;
  }

  @Override
  public Optional<Membership> read(Markings markings) {
    var name = Stated.in(markings.labels(), POD_GROUP);
    if (!name.isFilled()) {
      return Optional.empty();
    }
    return Optional.of(
        new MembershipReading(markings, Dialect.SCHEDULER_PLUGINS, name)
            .readFrom(
                TermsObject.Kind.PLUGINS_POD_GROUP,
                "",
                Stated.in(markings.annotations(), GangKeys.INDEX)));
  }
}
