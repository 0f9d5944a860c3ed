package io.muster.extender.core.decision.state;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.queue.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * What the queue knows of one gang: what its members have said about waiting, since when it waits
 * in vain, what is kept for it, and how much it has been given. Confined to the decision thread.
 */
public final class QueueEntry {

  private static final Set<Reason> OF_QUEUES =
      Set.of(Reason.QUOTA, Reason.UNKNOWN_QUEUE, Reason.QUEUE_NOT_ALLOWED);

  private final UnaryOperator<Instant> stated;

  private Optional<String> statedQueue = Optional.empty();

  /** Whether a member has named another, or none. */
  private boolean areQueuesMixed;

  private Optional<Duration> runTime = Optional.empty();
  private Optional<Duration> runTimeLimit = Optional.empty();
  private Optional<Duration> checkpoint = Optional.empty();
  private boolean preempts = true;

  private Optional<Instant> unfitSince = Optional.empty();
  private Optional<Instant> fullSince = Optional.empty();

  private Optional<Withheld> withheld = Optional.empty();

  private Optional<Integer> position = Optional.empty();
  private Optional<ExpectedStart> expectedStart = Optional.empty();

  private boolean diagnosisDue;
  private Instant diagnosedAt = Instant.MIN;

  private Optional<BackfillReservation> backfill = Optional.empty();

  private Instant backfillAgainAt = Instant.MIN;

  private Instant turnUntil = Instant.MIN;
  private Instant turnAgainAt = Instant.MIN;
  private Instant preemptAgainAt = Instant.MIN;

  private int preemptions;

  private Optional<Instant> startedAt = Optional.empty();

  private boolean isStartAsNodesSay;

  private Optional<Instant> firstStartedAt = Optional.empty();

  private long attained;

  private Duration saved = Duration.ZERO;

  private Optional<GangId> endedFor = Optional.empty();

  /**
   * Why a gang that has enough members waits, whatever room there is.
   *
   * @param message with {@code %s} where {@code keptFor} is named
   * @param keptFor who comes before it; not all may know its name
   */
  public record Withheld(Reason reason, String message, String remedy, Optional<GangId> keptFor) {

    public Withheld(Reason reason, String message, String remedy) {
      this(reason, message, remedy, Optional.empty());
    }

    /** Its queue does not let it start. */
    public static Withheld by(Refusal refusal) {
      var reason =
          switch (refusal) {
            case Refusal.Unknown _ -> Reason.UNKNOWN_QUEUE;
            case Refusal.Barred _ -> Reason.QUEUE_NOT_ALLOWED;
            case Refusal.Limit _, Refusal.Quota _, Refusal.Lasting _, Refusal.Behind _ ->
                Reason.QUOTA;
          };
      if (refusal instanceof Refusal.Behind(GangId first)) {
        var message = "its queue keeps what comes free for %s, which comes before it";
        return new Withheld(reason, message, refusal.remedy(), Optional.of(first));
      }
      return new Withheld(reason, refusal.sentence(), refusal.remedy());
    }

    /** The message as users of that namespace are told it. */
    public String toldIn(String namespace) {
      return keptFor.map(gang -> message.formatted(gang.shownIn(namespace))).orElse(message);
    }
  }

  /**
   * @param stated what is meant by a time of day that a node has stated
   */
  QueueEntry(UnaryOperator<Instant> stated) {
    this.stated = stated;
  }

  /** Whether its queue does not let it start. */
  public boolean isRefused() {
    return withheld.filter(why -> OF_QUEUES.contains(why.reason())).isPresent();
  }

  public void hear(Pod pod) {
    var hints = pod.wishes().hints();
    statedQueue = statedQueue.or(hints::queue);
    areQueuesMixed |= !hints.queue().equals(statedQueue);
    runTime = runTime.or(hints::runTime);
    runTimeLimit = runTimeLimit.or(hints::runTimeLimit);
    checkpoint = checkpoint.or(hints::checkpoint);
    preempts &= pod.wishes().preempts();
  }

  /**
   * A member has started.
   *
   * @param since the time of day as its node says, whose clock may be ahead: nothing starts later
   *     than it is seen
   */
  void runsSince(Optional<Instant> since, Instant now) {
    var at = since.map(stated).filter(now::isAfter).orElse(now);
    if (startedAt.isEmpty()) {
      preemptions = 0;
      startedAt = Optional.of(at);
      firstStartedAt = firstStartedAt.or(() -> startedAt);
      isStartAsNodesSay = since.isPresent();
    } else if (isStartAsNodesSay && at.isBefore(startedAt.get())) {
      // Taken up where it ran: members are told in any order, and the first of them counts.
      firstStartedAt = firstStartedAt.filter(first -> first.isBefore(at)).or(() -> Optional.of(at));
      startedAt = Optional.of(at);
    }
  }

  /** Its present life ends for others, who were given so much to do by it. */
  public void endEarly(long deviceSeconds, Instant now) {
    attained = Bounds.sum(attained, deviceSeconds);
    if (startedAt.isPresent() && checkpoint.isPresent()) {
      long apart = checkpoint.get().toSeconds();
      long ran = Math.max(0, Duration.between(startedAt.get(), now).toSeconds());
      var more = Duration.ofSeconds(apart == 0 ? ran : ran / apart * apart);
      saved = Bounds.within(saved.plus(more), Bounds.LONGEST_RUN);
    }
  }

  /** It has done what it was made for; another gang of its name begins from nothing. */
  public void complete() {
    startedAt = Optional.empty();
    firstStartedAt = Optional.empty();
    attained = 0;
    saved = Duration.ZERO;
  }

  /** Another life of the gang has begun; what it has been given stays. */
  void forget() {
    statedQueue = Optional.empty();
    areQueuesMixed = false;
    runTime = Optional.empty();
    runTimeLimit = Optional.empty();
    checkpoint = Optional.empty();
    preempts = true;
    unfitSince = Optional.empty();
    fullSince = Optional.empty();
    withheld = Optional.empty();
    turn(Instant.MIN, Instant.MIN);
    position = Optional.empty();
    expectedStart = Optional.empty();
    startedAt = Optional.empty();
  }

  /** The queue that its members name; the first to name one decides. */
  public Optional<String> statedQueue() {
    return statedQueue;
  }

  /**
   * The first of those that name a queue decides. Asks who they are only once members have named
   * different ones.
   *
   * @return whether it is another than before
   */
  public boolean requeue(Supplier<Stream<Pod>> members, Comparator<Pod> order) {
    if (!areQueuesMixed) {
      return false;
    }
    var before = statedQueue;
    var naming = members.get().filter(pod -> named(pod).isPresent());
    statedQueue = naming.min(order).flatMap(QueueEntry::named);
    return !statedQueue.equals(before);
  }

  /** A queue that one of those names, and that it is not in. */
  public Optional<String> otherQueue(Supplier<Stream<Pod>> members) {
    return areQueuesMixed
        ? members
            .get()
            .flatMap(pod -> named(pod).stream())
            .filter(name -> !statedQueue.equals(Optional.of(name)))
            .findFirst()
        : Optional.empty();
  }

  private static Optional<String> named(Pod pod) {
    return pod.wishes().hints().queue();
  }

  /** How long it runs, as its members say. */
  public Optional<Duration> runTime() {
    return runTime;
  }

  /** How long it may run, as its members say. */
  public Optional<Duration> runTimeLimit() {
    return runTimeLimit;
  }

  /** How often it saves its work, as its members say. */
  Optional<Duration> checkpoint() {
    return checkpoint;
  }

  /** Whether others may be ended for it; not if one member forbids it. */
  public boolean preempts() {
    return preempts;
  }

  /** Its number among all that wait with enough members, as it was last counted; from 1. */
  public Optional<Integer> position() {
    return position;
  }

  public void position(Optional<Integer> value) {
    position = value;
  }

  /** When it will probably start, as it was last told. */
  public Optional<ExpectedStart> expectedStart() {
    return expectedStart;
  }

  public void expectedStart(Optional<ExpectedStart> value) {
    expectedStart = value;
  }

  /** Since when enough members are there and there is no room for them. */
  public Optional<Instant> unfitSince() {
    return unfitSince;
  }

  public void unfitSince(Optional<Instant> value) {
    unfitSince = value;
  }

  /** Its queue has too little left for it, or would let it start whatever others hold of it. */
  public void queueFull(boolean isFull, Instant now) {
    fullSince = isFull ? inVainSince().or(() -> Optional.of(now)) : Optional.empty();
  }

  /** Whether that is what keeps it from starting now. */
  public boolean isQueueFull() {
    return fullSince.isPresent()
        && withheld.filter(why -> why.reason() == Reason.QUOTA).isPresent();
  }

  /** Since when there is no room for it, or too little left of its queue, whichever was first. */
  public Optional<Instant> inVainSince() {
    return fullSince.or(this::unfitSince);
  }

  /** Why it waits, where that is not for want of room alone. */
  public Optional<Withheld> withheld() {
    return withheld;
  }

  public void withheld(Optional<Withheld> value) {
    withheld = value;
  }

  /** Whether it is to be examined why it does not fit, and when that was last done. */
  public boolean diagnosisDue() {
    return diagnosisDue;
  }

  public void diagnosisDue(boolean value) {
    diagnosisDue = value;
  }

  public void diagnosed(Instant now) {
    diagnosisDue = false;
    diagnosedAt = now;
  }

  public Instant diagnosedAt() {
    return diagnosedAt;
  }

  public Optional<BackfillReservation> backfill() {
    return backfill;
  }

  /** Whether it has a backfill reservation of that kind. */
  public boolean hasBackfill(BackfillReservation.Kind kind) {
    return backfill.filter(kept -> kept.kind == kind).isPresent();
  }

  public void backfill(Optional<BackfillReservation> value) {
    backfill = value;
  }

  /** No backfill reservation before that. */
  public Instant backfillAgainAt() {
    return backfillAgainAt;
  }

  public void backfillAgainAt(Instant value) {
    backfillAgainAt = value;
  }

  /** Others of its queue are held back for it until then, and again from then on. */
  public void turn(Instant until, Instant againAt) {
    turnUntil = until;
    turnAgainAt = againAt;
  }

  /** Whether others of its queue may be held back for it, by what has been. */
  public boolean mayHaveTurn(Instant now) {
    return now.isBefore(turnUntil) || !now.isBefore(turnAgainAt);
  }

  /** Until when that lasts. */
  public Instant turnUntil() {
    return turnUntil;
  }

  /** No other gang is ended for it before that. */
  public Instant preemptAgainAt() {
    return preemptAgainAt;
  }

  public void preemptAgainAt(Instant value) {
    preemptAgainAt = value;
  }

  /** How often others were ended for it since it last started. */
  public int preemptions() {
    return preemptions;
  }

  public void countPreemption() {
    preemptions++;
  }

  /** Since when its present life runs. */
  public Optional<Instant> startedAt() {
    return startedAt;
  }

  /** Since when its first life ran, of those that led to no end. */
  public Optional<Instant> firstStartedAt() {
    return firstStartedAt;
  }

  /** Device seconds that earlier lives were given, and that led to no end. */
  public long attained() {
    return attained;
  }

  /** Work of earlier lives that it goes on from. */
  public Duration saved() {
    return saved;
  }

  /** For whom its members end, while they do. */
  public Optional<GangId> endedFor() {
    return endedFor;
  }

  public void endedFor(Optional<GangId> value) {
    endedFor = value;
  }
}
