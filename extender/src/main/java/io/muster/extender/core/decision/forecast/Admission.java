package io.muster.extender.core.decision.forecast;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.QueueUsage;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.queue.Refusal;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * Whether their queues would let gangs and pods start that are to start together. Confined to the
 * decision thread, and to one question.
 */
final class Admission {

  private final QueueUsage queues;

  /** By queue, the devices of all, and of those that may not borrow. */
  private final SortedMap<String, Long> devices = new TreeMap<>();

  private final SortedMap<String, Long> lasting = new TreeMap<>();
  private Optional<Refusal> barred = Optional.empty();

  Admission(QueueUsage queues) {
    this.queues = queues;
  }

  /** So many members of the gang start as must start together. */
  void add(GangState gang) {
    barred = barred.or(() -> queues.barred(gang));
    add(queues.of(gang), QueueUsage.needs(gang), queues.mayBorrow(gang));
  }

  /** A pod without a gang starts. */
  void add(Pod pod) {
    barred = barred.or(() -> queues.barred(pod));
    add(queues.of(pod), pod.devices(), queues.mayBorrow(pod));
  }

  private void add(String queue, long asked, boolean mayBorrow) {
    if (asked > 0 || !mayBorrow) {
      devices.merge(queue, asked, Long::sum);
    }
    if (!mayBorrow) {
      lasting.merge(queue, asked, Long::sum);
    }
  }

  /** Why a queue would let them wait, whatever room there is. */
  Optional<Refusal> refusal() {
    if (barred.isPresent() || queues.queues().arePlain()) {
      return barred;
    }
    var held = queues.held();
    return devices.keySet().stream().flatMap(queue -> refusal(queue, held).stream()).findFirst();
  }

  private Optional<Refusal> refusal(String queue, ToLongFunction<String> held) {
    ToLongFunction<String> besideOthers =
        name -> held.applyAsLong(name) + (name.equals(queue) ? 0 : devices.getOrDefault(name, 0L));
    return Optional.ofNullable(lasting.get(queue))
        .flatMap(asked -> queues.queues().refusal(queue, asked, false, besideOthers))
        .or(() -> queues.queues().refusal(queue, devices.get(queue), true, besideOthers));
  }
}
