/** Room of the job engine: job kinds, scale operations, elasticity. Nothing is built here yet. */
package io.muster.controller;
