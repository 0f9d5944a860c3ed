package io.muster.controller.core.elastic;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Has jobs that share room with their equals decided by one policy, or by none, and those that only
 * yield to higher priority by whole gangs first. Confined to one thread.
 */
public final class ByTerms implements Elasticity {

  private final List<Elasticity> sharing;
  private final Elasticity yielding = new GangPolicy(GangPolicy.HeadRoom.NONE);

  private ByTerms(List<Elasticity> sharing) {
    this.sharing = sharing;
  }

  /** Jobs that share are decided by that policy. */
  public static Elasticity sharingBy(Elasticity policy) {
    return new ByTerms(List.of(policy));
  }

  /** Jobs that share keep their sizes. */
  public static Elasticity withoutSharing() {
    return new ByTerms(List.of());
  }

  @Override
  public List<Decision> plan(View view, Instant now) {
    var decisions = new ArrayList<Decision>();
    var equals = view.jobs().stream().filter(ResizableJob::isEqualAmongOthers).toList();
    sharing.forEach(policy -> decisions.addAll(policy.plan(view.with(equals), now)));
    var others = view.jobs().stream().filter(job -> !job.isEqualAmongOthers()).toList();
    decisions.addAll(yielding.plan(view.with(others), now));
    return decisions;
  }

  @Override
  public void carriedOut(Decision decision, Instant now) {
    sharing.forEach(policy -> policy.carriedOut(decision, now));
    yielding.carriedOut(decision, now);
  }
}
