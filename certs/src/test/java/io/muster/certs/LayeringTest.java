package io.muster.certs;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;

@AnalyzeClasses(packages = "io.muster.certs", importOptions = DoNotIncludeTests.class)
class LayeringTest {

  @ArchTest
  static final ArchRule theCoreKnowsNoKubernetesAndNoWebServer =
      classes()
          .that()
          .resideInAnyPackage("io.muster.certs", "io.muster.certs.x509")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.muster.certs",
              "io.muster.certs.x509",
              "java..",
              "javax.net.ssl",
              "javax.security..",
              "org.bouncycastle..",
              "org.slf4j");

  @ArchTest
  static final ArchRule thePartsAroundTheCoreDoNotKnowEachOther =
      slices()
          .matching("io.muster.certs.(*)..")
          .should()
          .notDependOnEachOther()
          .ignoreDependency(alwaysTrue(), resideInAPackage("io.muster.certs.x509"));

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("io.muster.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule timeComesFromOutside =
      noClasses()
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Clock.class, "systemUTC");

  @ArchTest
  static final ArchRule nothingWritesToTheConsole = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

  @ArchTest
  static final ArchRule nothingUsesJavaUtilLogging = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
}
