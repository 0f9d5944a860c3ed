package io.muster.controller.core.elastic;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * Has jobs that share room with their equals decided by a policy that knows no gangs, or by none,
 * and those that only yield to higher priority by whole gangs first: after the others, and in the
 * room that those leave. Confined to one thread.
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
    boolean isFirst = decisions.isEmpty();
    yielding.plan(view.with(others).without(leavers(equals, decisions)), now).stream()
        .filter(decision -> isFirst || decision instanceof Decision.GiveBack)
        .forEach(decisions::add);
    return decisions;
  }

  /** Uids of those that leave by these decisions. */
  private static List<String> leavers(List<ResizableJob> jobs, List<Decision> decisions) {
    var names = new HashSet<String>();
    for (var decision : decisions) {
      if (decision instanceof Decision.GiveBack giveBack) {
        giveBack.workers().forEach(worker -> names.add(giveBack.job() + "/" + worker));
      }
    }
    return jobs.stream()
        .flatMap(job ->
            job.workers().stream()
                .filter(worker -> names.contains(job.key() + "/" + worker.name()))
                .map(ResizableJob.Worker::uid))
        .toList();
  }

  @Override
  public void carriedOut(Decision decision, Instant now) {
    sharing.forEach(policy -> policy.carriedOut(decision, now));
    yielding.carriedOut(decision, now);
  }
}
