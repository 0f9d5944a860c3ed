package io.muster.controller.kinds.di.job;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The container of a pod that does its work, and the port at which its peers reach it. */
public final class MainContainer {

  private MainContainer() {}

  /** The one that is called so, else like the role, else the first. */
  public static Container of(PodSpec spec, String role) {
    return named(spec, DiNames.MAIN_CONTAINER)
        .or(() -> named(spec, role))
        .orElse(spec.getContainers().getFirst());
  }

  private static Optional<Container> named(PodSpec spec, String name) {
    return spec.getContainers().stream()
        .filter(container -> name.equals(container.getName()))
        .findFirst();
  }

  /** The port of a pod, as its main container has it. */
  public static int port(PodSpec spec, String role, int otherwise) {
    return port(of(spec, role), role).map(ContainerPort::getContainerPort).orElse(otherwise);
  }

  private static Optional<ContainerPort> port(Container main, String role) {
    return port(main.getPorts(), DiNames.MAIN_PORT).or(() -> port(main.getPorts(), role));
  }

  private static Optional<ContainerPort> port(List<ContainerPort> ports, String name) {
    return Objects.requireNonNullElse(ports, List.<ContainerPort>of()).stream()
        .filter(port -> name.equals(port.getName()))
        .findFirst();
  }

  /** Gives the main container the port if it names none. */
  public static void givePort(PodSpec spec, String role, int otherwise) {
    var main = of(spec, role);
    if (port(main, role).isEmpty()) {
      var ports =
          new ArrayList<>(Objects.requireNonNullElse(main.getPorts(), List.<ContainerPort>of()));
      ports.add(
          new ContainerPortBuilder()
              .withName(DiNames.MAIN_PORT)
              .withContainerPort(otherwise)
              .build());
      main.setPorts(ports);
    }
  }
}
