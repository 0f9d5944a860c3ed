package io.muster.bench;

import io.muster.sandbox.AuditLog.Write;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What was written under Muster's account during a round, as the audit log has it. Immutable. */
record Writes(List<Write> all) {

  Writes {
    all = List.copyOf(all);
  }

  /** Writes of Gang objects for each gang of the work. */
  double perGang(Work work) {
    return (double) count("gangs") / work.gangs().size();
  }

  /** Writes of pods and their Bindings for each pod of the work. */
  double perMember(Work work) {
    return (double) count("pods") / work.pods();
  }

  /** Names of the pods whose deletion or eviction was carried out. */
  List<String> ended() {
    return all.stream()
        .filter(write -> write.code() / 100 == 2)
        .filter(write ->
            write.resource().equals("pods/eviction")
                || (write.resource().equals("pods") && write.verb().startsWith("delete")))
        .map(Write::name)
        .distinct()
        .toList();
  }

  private long count(String resource) {
    return all.stream().filter(write -> write.resource().startsWith(resource)).count();
  }

  String words(Work work) {
    var counted =
        all.stream()
            .collect(
                Collectors.groupingBy(
                    write -> write.verb() + " " + write.resource() + " " + write.code(),
                    TreeMap::new,
                    Collectors.counting()));
    return "writes: %.2f per gang, %.2f per member; %s"
        .formatted(perGang(work), perMember(work), counted);
  }
}
