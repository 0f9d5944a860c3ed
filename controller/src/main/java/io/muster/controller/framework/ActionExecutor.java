package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.api.JobStatus;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.state.Member;
import io.muster.controller.kube.ForeignObjectException;
import io.muster.controller.kube.GangHolders;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.OwnGang;
import io.muster.controller.kube.Rejection;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.pod.JobQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the engine's actions out for jobs of all kinds. What is there already, or gone already,
 * is as good as done. Safe for concurrent use, one job at a time.
 */
final class ActionExecutor {

  private static final Logger LOG = LoggerFactory.getLogger(ActionExecutor.class);

  private final JobAccess access;
  private final GangHolders gangs;
  private final String kind;

  /**
   * Those of one kind.
   *
   * @param kind its name
   */
  ActionExecutor(JobAccess access, GangHolders gangs, String kind) {
    this.access = access;
    this.gangs = gangs;
    this.kind = kind;
  }

  /** What is to be done for it, one after the other. */
  <J extends CustomResource<?, S>, S extends JobStatus> List<PendingSteps.Step> steps(
      ReconciledJob<J, S, ?> job, Action action) {
    return switch (action) {
      case Action.Prepare prepare ->
          job.prepare(prepare).stream()
              .map(make -> access.writes().preparing(prepare.first(), job.seen().memory(), make))
              .toList();
      case Action.Create create -> List.of(() -> create(job, create));
      case Action.Delete(String name, String uid) ->
          List.of(PendingSteps.Step.of(() -> delete(job, name, uid)));
      case Action.Remove _ ->
          List.of(
              PendingSteps.Step.of(() -> JobWrites.deleteUnchanged(access.client(), job.job())));
      case Action.OfKind own -> List.of(() -> job.carryOut(own));
    };
  }

  /**
   * Of pods that the job has not deleted no later reconcile knows that they had Services: of those
   * that are lost, which is told as long as the job goes on without them, of those that somebody
   * else deletes, and of those that a resize which is over has taken away or not made. One Service
   * each goes once.
   */
  List<PendingSteps.Step> afterLost(ReconciledJob<?, ?, ?> job) {
    var pods = job.seen().pods();
    var lost = News.of(job.outcome().news(), News.MemberLost.class).map(News.MemberLost::name);
    var going = pods.stream().filter(HasMetadata::isMarkedForDeletion).map(ActionExecutor::name);
    var there = pods.stream().map(ActionExecutor::name).collect(Collectors.toSet());
    var past =
        job.outcome().resizes().stream()
            .filter(resize -> resize.stage().isEnd())
            .flatMap(resize -> resize.plan().stream())
            .filter(pod -> !there.contains(pod));
    return Stream.of(lost, going, past)
        .flatMap(names -> names)
        .distinct()
        .filter(pod -> !job.seen().memory().knows(gone(job, pod)))
        .flatMap(pod -> job.service(pod).stream().map(service -> deletion(job, pod, service)))
        .toList();
  }

  /**
   * Moves those of its gangs that wait to the queue that it names by now. Each pod is looked at
   * once for each time that somebody changes the job.
   */
  List<PendingSteps.Step> requeue(ReconciledJob<?, ?, ?> job, List<Member> members) {
    var memory = job.seen().memory();
    var object = job.job();
    var said = "%s %s".formatted(object.getMetadata().getGeneration(), Marks.annotations(object));
    var waiting = JobQueue.waiting(job.seen().pods());
    memory.requeued(waiting.keySet());
    var steps = new ArrayList<PendingSteps.Step>();
    var byUid = members.stream().collect(Collectors.toMap(Member::uid, Function.identity()));
    waiting.forEach((uid, pod) -> {
      if (!memory.isQueuedAs(said, uid)) {
        var now = byUid.containsKey(uid) ? madeNow(job, byUid.get(uid)) : job.madeByOthersNow(pod);
        now.flatMap(made -> JobQueue.change(pod, made))
            .ifPresentOrElse(
                annotations ->
                    steps.add(
                        PendingSteps.Step.of(() -> {
                          access.writes().annotate(pod, annotations);
                          memory.queuedAs(said, uid);
                        })),
                () -> memory.queuedAs(said, uid));
      }
    });
    return steps;
  }

  /** The pod of a member as it would be made now, as far as all of its role are alike. */
  private static Optional<Pod> madeNow(ReconciledJob<?, ?, ?> job, Member member) {
    try {
      return Optional.of(
          pod(
              job,
              new Action.Create(
                  member.role(), member.index(), member.name(), 1, member.resize(), 0, 0)));
    } catch (UnfitPodException | ForeignObjectException _) {
      return Optional.empty();
    }
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  private PendingSteps.Step deletion(ReconciledJob<?, ?, ?> job, String pod, String service) {
    return PendingSteps.Step.of(() -> {
      access.writes().deleteService(job.job(), service);
      job.seen().memory().know(gone(job, pod));
    });
  }

  /** That the Service of the last pod of that name is. */
  private static String gone(ReconciledJob<?, ?, ?> job, String pod) {
    return "no Service of %s %s".formatted(pod, job.seen().memory().uidOf(pod));
  }

  private boolean create(ReconciledJob<?, ?, ?> job, Action.Create create) {
    return access.writes().makePod(job.job(), create, job.seen().memory(), () -> make(job, create));
  }

  private void make(ReconciledJob<?, ?, ?> job, Action.Create create) {
    var pod = pod(job, create);
    JobQueue.note(pod);
    job.gangOf(create, pod).ifPresent(gang -> take(job, create, gang));
    var companions = job.companions(create, pod);
    companions.forEach(object -> access.writes().putOwn(job.job(), object));
    var stored = store(job, pod, companions);
    job.seen().watch().created(stored);
    job.created(create, stored);
  }

  /** Of a pod that is refused nothing stays: nobody may come by its name any more. */
  private Pod store(ReconciledJob<?, ?, ?> job, Pod pod, List<HasMetadata> companions) {
    try {
      return access.client().resource(pod).create();
    } catch (KubernetesClientException e) {
      if (Rejection.of(e) == Rejection.REFUSED) {
        companions.forEach(object -> access.writes().deleteOwn(job.job(), object));
      }
      throw e;
    }
  }

  /** Lets nobody into a gang of another job: the job's own gets a name that is no other's. */
  private void take(ReconciledJob<?, ?, ?> job, Action.Create create, String gang) {
    var object = job.job();
    var pods = job.seen().pods();
    var other = gangs.otherThan(object, gang, pods);
    if (other.isEmpty()) {
      return;
    }
    if (create.resize().isEmpty()
        && !OwnGang.isApart(object)
        && !GangHolders.isAnyIn(pods, name -> name.startsWith(OwnGang.of(object)))) {
      nameApart(object, job.seen().memory(), gang, other.get());
      throw new HeldBackException("the gang of the job has another name from now on");
    }
    throw new UnfitPodException(
        "gang %s is that of %s, and two jobs share none: wait until that has no pod there, or make this anew under another name"
            .formatted(gang, other.get()));
  }

  private void nameApart(HasMetadata job, JobMemory memory, String gang, String other) {
    var name = OwnGang.apart(job, kind);
    memory.wrote(access.writes().annotate(job, OwnGang.KEPT, name));
    var message = "its gang is called %s, since gang %s is that of %s".formatted(name, gang, other);
    access.events().leaveOnce(job, Remark.normal("GangNamedApart", message), memory);
  }

  /** Of what cannot be read since somebody has changed it no pod is made, and users are told. */
  private static Pod pod(ReconciledJob<?, ?, ?> job, Action.Create create) {
    try {
      return job.pod(create);
    } catch (UnfitPodException | ForeignObjectException | KubernetesClientException e) {
      throw e;
    } catch (RuntimeException e) {
      var problems = job.problems();
      if (problems.isEmpty()) {
        throw e;
      }
      LOG.atWarn()
          .addKeyValue("pod", create.name())
          .setCause(e)
          .log("no pod can be made of a job that was changed while it runs");
      throw new UnfitPodException(String.join("; ", problems), e);
    }
  }

  /** Its Service first: of a pod that is gone nobody asks whether it had one. */
  private void delete(ReconciledJob<?, ?, ?> job, String name, String uid) {
    job.service(name)
        .ifPresent(service -> {
          access.writes().deleteService(job.job(), service);
          job.seen().memory().know(gone(job, name));
        });
    access.writes().deletePod(job.job(), name, uid, job.seen().memory());
    job.deleted(name, uid);
  }
}
